//! Methods of authentication that a server may ask for, and those that are accepted: `require_auth` of libpq's addresses.

use std::io;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    /// Everybody is let in.
    None,
    /// The password itself.
    Password,
    Md5,
    /// A proof that both know the password, which gives nothing of it away.
    Scram,
    /// A way that this program does not know; the client refuses it.
    Other,
}

const NAMED: [(&str, Method); 4] = [
    ("none", Method::None),
    ("password", Method::Password),
    ("md5", Method::Md5),
    ("scram-sha-256", Method::Scram),
];

/// Of each method, but for the unknown ones, whether it is answered; in the order of [`Method`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Methods([bool; 4]);

/// A server asked in a way that is not answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.said())]
pub(super) struct NotAccepted(pub Method);

impl Method {
    /// The server's request, in words for people.
    pub fn said(self) -> &'static str {
        match self {
            Self::None => "it asks for no password",
            Self::Password => "it asks for the password in the clear",
            Self::Md5 => "it asks for an MD5 digest of the password",
            Self::Scram => "it asks for the password by SCRAM",
            Self::Other => "it asks in a way that this program does not know",
        }
    }

    /// The name in `require_auth`.
    pub fn name(self) -> &'static str {
        let found = NAMED.iter().find(|(_, method)| *method == self);
        found.map_or("gss", |(name, _)| name)
    }

    fn of_code(code: u32) -> Self {
        match code {
            0 => Self::None,
            3 => Self::Password,
            5 => Self::Md5,
            10 => Self::Scram,
            _ => Self::Other,
        }
    }
}

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
            let named = NAMED.iter().find(|(known, _)| *known == name);
            let (_, method) =
                named.ok_or("require_auth knows none, password, md5 and scram-sha-256")?;
            methods.0[*method as usize] = answered;
        }
        Ok(methods)
    }

    /// Refuses what is not answered. What the client does not know it refuses itself.
    pub fn check(self, method: Method) -> Result<(), NotAccepted> {
        match self.0.get(method as usize) {
            Some(false) => Err(NotAccepted(method)),
            Some(true) | None => Ok(()),
        }
    }
}

/// Finds, in what a server sends, the first message about authentication, however it is cut into pieces.
#[derive(Debug, Default)]
pub(super) struct FirstRequest {
    head: Vec<u8>,
    /// Bytes of a message that is of no interest.
    skipped: usize,
}

impl FirstRequest {
    /// A message's kind and its length.
    const HEADER: usize = 5;

    /// The next bytes; gives how the server asks as soon as that is known.
    pub fn look_at(&mut self, mut bytes: &[u8]) -> io::Result<Option<Method>> {
        loop {
            let over = self.skipped.min(bytes.len());
            self.skipped -= over;
            bytes = bytes.get(over..).unwrap_or_default();
            let Some((&byte, rest)) = bytes.split_first() else {
                return Ok(None);
            };
            self.head.push(byte);
            bytes = rest;
            let [kind, length @ ..] = self.head.as_slice() else {
                continue;
            };
            let Some((length, code)) = length.split_first_chunk() else {
                continue;
            };
            // The length counts itself, but not the kind.
            let length = u32::from_be_bytes(*length) as usize;
            if *kind == b'R' {
                if let Some(code) = code.first_chunk() {
                    return Ok(Some(Method::of_code(u32::from_be_bytes(*code))));
                }
            } else if let Some(body) = length.saturating_add(1).checked_sub(Self::HEADER) {
                self.skipped = body;
                self.head.clear();
            } else {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    "what answers there is not PostgreSQL",
                ));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_those_of_libpq() {
        let scram = Methods::parse("scram-sha-256").unwrap();
        assert_eq!(scram.check(Method::Scram), Ok(()));
        for method in [Method::None, Method::Password, Method::Md5] {
            assert_eq!(scram.check(method), Err(NotAccepted(method)));
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

    #[test]
    fn the_first_request_is_found_however_it_is_cut() {
        // A notice goes before it; what comes after it does not matter.
        let sent = b"N\0\0\0\x08abcdN\0\0\0\x04R\0\0\0\x08\0\0\0\x03R\0\0\0\x08\0\0\0\0";
        for size in 1..=sent.len() {
            let mut request = FirstRequest::default();
            let found = sent
                .chunks(size)
                .find_map(|piece| request.look_at(piece).unwrap());
            assert_eq!(found, Some(Method::Password), "in pieces of {size}");
        }
        for (code, method) in [
            (0, Method::None),
            (5, Method::Md5),
            (10, Method::Scram),
            (7, Method::Other),
        ] {
            let sent = [b'R', 0, 0, 0, 12, 0, 0, 0, code, 1, 2, 3, 4];
            let found = FirstRequest::default().look_at(&sent).unwrap();
            assert_eq!(found, Some(method));
        }
        assert!(FirstRequest::default().look_at(b"N\0\0\0\x03").is_err());
        // However long it says it is, nothing is kept of it.
        let mut request = FirstRequest::default();
        assert_eq!(request.look_at(b"N\xff\xff\xff\xffabc").unwrap(), None);
        assert!(request.head.is_empty());
    }
}
