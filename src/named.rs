//! Choices that a user makes by name.

/// Gives an enum without fields `ALL`, `name` and `FromStr`, from its values and names in the order told to users.
macro_rules! named {
    ($choice:ident { $($value:ident = $name:literal),+ $(,)? }) => {
        impl $choice {
            /// Every choice, in the order in which a user is told of them.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$value),+];

            /// The name that a user types, and files hold.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$value => $name),+
                }
            }
        }

        impl std::str::FromStr for $choice {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                Self::ALL
                    .into_iter()
                    .find(|choice| choice.name() == text)
                    .ok_or_else(|| $crate::named::expected(&[$($name),+]))
            }
        }
    };
}

/// The error for any other name.
pub(crate) fn expected(names: &[&str]) -> String {
    match names {
        [one, other] => format!("expected {one} or {other}"),
        _ => format!("expected one of {}", names.join(", ")),
    }
}
