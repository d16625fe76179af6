//! The address of the page where a proxy stands in front.

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicUrl {
    /// As browsers write it, and send it in `Origin`: `https://faces.home`.
    pub origin: String,
    /// Where the page is, from the root of that address: it begins and ends with a slash.
    pub path: String,
}

impl PublicUrl {
    /// As a user types it.
    /// Errors: what such an address is like.
    pub fn parse(text: &str) -> Result<Self, String> {
        let expected = "expected an address such as https://faces.home/ or https://home/faces/";
        let read = || {
            let (scheme, rest) = text.trim().split_once("://")?;
            let scheme = scheme.to_ascii_lowercase();
            let usual = match scheme.as_str() {
                "https" => ":443",
                "http" => ":80",
                _ => return None,
            };
            let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
            let host = host.to_ascii_lowercase();
            let host = host.strip_suffix(usual).unwrap_or(&host);
            let is_host = !host.is_empty() && host.bytes().all(|byte| is_plain(byte, b".-_:[]"));
            let path = path.trim_matches('/');
            let is_path = path.bytes().all(|byte| is_plain(byte, b".-_~/%"));
            (is_host && is_path).then(|| Self {
                origin: format!("{scheme}://{host}"),
                path: if path.is_empty() { "/".to_owned() } else { format!("/{path}/") },
            })
        };
        read().ok_or_else(|| expected.to_owned())
    }

    pub fn is_encrypted(&self) -> bool {
        self.origin.starts_with("https:")
    }

    /// Whether a host, as browsers and proxies send it, is this one.
    pub fn is_host(&self, host: &str) -> bool {
        let own = self.origin.split_once("://").map_or("", |(_, host)| host);
        let host = host.to_ascii_lowercase();
        own == host.strip_suffix(if self.is_encrypted() { ":443" } else { ":80" }).unwrap_or(&host)
    }
}

fn is_plain(byte: u8, others: &[u8]) -> bool {
    byte.is_ascii_alphanumeric() || others.contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_public_address_has_an_origin_and_a_path() {
        for (given, origin, path) in [
            ("https://faces.home", "https://faces.home", "/"),
            ("HTTPS://Faces.Home:443/", "https://faces.home", "/"),
            ("https://home:8443/faces", "https://home:8443", "/faces/"),
            ("http://home:80/a/b/", "http://home", "/a/b/"),
        ] {
            let url = PublicUrl::parse(given).unwrap();
            assert_eq!((&*url.origin, &*url.path), (origin, path), "{given}");
        }
        let url = PublicUrl::parse("https://faces.home").unwrap();
        assert!(url.is_host("faces.home") && url.is_host("FACES.home:443"));
        assert!(!url.is_host("faces.home:80") && !url.is_host("home"));
        for wrong in ["", "faces.home", "ftp://home", "https://", "https://a b/", "https://a/?x"] {
            assert!(PublicUrl::parse(wrong).is_err(), "{wrong}");
        }
    }
}
