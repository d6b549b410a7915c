//! Words with a meaning of their own: keywords, operators and punctuation, as enumerations that know how they are written.

/// Declares such words, each with its text.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident: $($variant:ident $text:literal,)*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum $name { $($variant,)* }

        #[allow(dead_code, reason = "a language has no use for some of these")]
        impl $name {
            /// All of them, in this order.
            pub(super) const ALL: &[$name] = &[$($name::$variant,)*];

            /// The word of this text.
            pub(super) fn of(text: &str) -> Option<$name> {
                match text {
                    $($text => Some($name::$variant),)*
                    _ => None,
                }
            }

            /// As written.
            pub(super) fn text(self) -> &'static str {
                match self {
                    $($name::$variant => $text,)*
                }
            }
        }
    };
}

/// The code of a character that a letter behind a backslash stands for.
pub(crate) fn escaped(letter: char) -> Option<u32> {
    Some(match letter {
        'n' => 10,
        't' => 9,
        'r' => 13,
        'a' => 7,
        'b' => 8,
        'f' => 12,
        'v' => 11,
        '\\' | '"' | '\'' => letter.into(),
        _ => return None,
    })
}
