//! Methods of authentication that a server may ask for, and those that are accepted: `require_auth` of libpq's addresses.

/// A way in which a server asks who we are.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Method {
    /// The name in `require_auth`.
    pub name: &'static str,
    /// The number in the server's request.
    code: u32,
    /// The server's request, in words for people.
    pub said: &'static str,
}

const METHODS: [Method; 4] = [
    Method {
        name: "none",
        code: 0,
        said: "it asks for no password",
    },
    Method {
        name: "password",
        code: 3,
        said: "it asks for the password in the clear",
    },
    Method {
        name: "md5",
        code: 5,
        said: "it asks for an MD5 digest of the password",
    },
    Method {
        name: "scram-sha-256",
        code: 10,
        said: "it asks for the password by SCRAM",
    },
];

/// Of each of [`METHODS`] whether it is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Methods([bool; 4]);

/// A server asked in a way that is not answered.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.said)]
pub(super) struct NotAccepted(pub &'static Method);

impl Methods {
    /// Methods that give nothing away to an impostor.
    pub const SAFE_WITH_ANYBODY: Self = Self([true, false, false, true]);

    /// Methods accepted of a server whose identity is certain.
    pub const ALL: Self = Self([true; 4]);

    /// Understands a list as libpq has it: `scram-sha-256,md5`, or what is not answered, `!password,!md5`.
    pub fn parse(list: &str) -> Result<Self, &'static str> {
        let is_negative = list.starts_with('!');
        let mut methods = Self([is_negative; 4]);
        for name in list.split(',') {
            let (name, answered) = match name.strip_prefix('!') {
                Some(name) => (name, false),
                None => (name, true),
            };
            if answered == is_negative {
                return Err(
                    "require_auth says either which ways are answered, or, with !, which are not",
                );
            }
            let known = METHODS.iter().position(|method| method.name == name);
            let at = known.ok_or("require_auth knows none, password, md5 and scram-sha-256")?;
            methods.0[at] = answered;
        }
        Ok(methods)
    }

    /// Refuses what is not answered. A number that stands for none of [`METHODS`] the client refuses itself.
    pub fn check(self, code: u32) -> Result<(), NotAccepted> {
        let mut methods = METHODS.iter().zip(self.0);
        match methods.find(|(method, _)| method.code == code) {
            Some((method, false)) => Err(NotAccepted(method)),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_those_of_libpq() {
        let scram = Methods::parse("scram-sha-256").unwrap();
        assert_eq!(scram.check(10), Ok(()));
        for (at, code) in [0, 3, 5].into_iter().enumerate() {
            assert_eq!(scram.check(code), Err(NotAccepted(&METHODS[at])));
        }
        let others = Methods::parse("!password,!md5").unwrap();
        assert_eq!(others, Methods::SAFE_WITH_ANYBODY);
        for wrong in [
            "",
            "!",
            "md5,!password",
            "!md5,password",
            "kerberos",
            "md5,",
        ] {
            assert!(Methods::parse(wrong).is_err(), "{wrong}");
        }
    }
}
