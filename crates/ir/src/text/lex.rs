//! Tokens of the text forms. Any text has tokens: what cannot be one becomes [`Token::Bad`], which no parser accepts.

use super::literal::is_name_char;

/// A token.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Token<'a> {
    /// A keyword, an operation, a type, or a name such as `w0` or `A3`.
    Word(&'a str),
    /// `%` and a number.
    Value(&'a str),
    /// The name of a function, without `@` and quotes.
    Global(String),
    /// A number without sign; `real` if it has a point or an exponent.
    Number { digits: &'a str, suffix: &'a str, real: bool },
    /// The code of a character in single quotes.
    Char(u32),
    /// The codes of the characters of a text in double quotes.
    Text(Vec<u32>),
    /// Punctuation.
    Punct(&'static str),
    /// What is no token: why.
    Bad(&'static str),
    /// The end of the text.
    End,
}

/// A token and the bytes it has in the text.
#[derive(Clone, Debug)]
pub(crate) struct Located<'a> {
    pub(crate) token: Token<'a>,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// Punctuation, longer ones first.
const PUNCTUATION: [&str; 22] =
    ["->", "<=", "..", "+=", "(", ")", "[", "]", "{", "}", "<", ">", ",", ":", ";", "=", "-", "+", "*", "#", "?", "&"];

/// All tokens of a text; the last one, and only that, is [`Token::End`].
pub(crate) fn tokens(text: &str) -> Vec<Located<'_>> {
    let mut lexer = Lexer { text, at: 0 };
    let mut tokens = Vec::new();
    loop {
        lexer.skip_blanks();
        let start = lexer.at;
        let token = lexer.token();
        let is_end = token == Token::End;
        tokens.push(Located { token, start, end: lexer.at });
        if is_end {
            return tokens;
        }
    }
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn take_while(&mut self, mut belongs: impl FnMut(char) -> bool) -> &'a str {
        let rest = self.rest();
        let length = rest.find(|c| !belongs(c)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn skip_blanks(&mut self) {
        loop {
            self.take_while(char::is_whitespace);
            if !self.rest().starts_with("//") {
                return;
            }
            self.take_while(|c| c != '\n');
        }
    }

    fn token(&mut self) -> Token<'a> {
        let Some(first) = self.peek() else { return Token::End };
        match first {
            'a'..='z' | 'A'..='Z' | '_' => Token::Word(self.take_while(|c| c.is_ascii_alphanumeric() || c == '_')),
            '0'..='9' => self.number(),
            '%' => {
                self.next();
                match self.take_while(|c| c.is_ascii_digit()) {
                    "" => Token::Bad("a number must follow `%`"),
                    digits => Token::Value(digits),
                }
            }
            '@' => {
                self.next();
                if self.peek() == Some('"') {
                    self.next();
                    return match self.quoted('"') {
                        Ok(codes) => match codes.into_iter().map(char::from_u32).collect() {
                            Some(name) => Token::Global(name),
                            None => Token::Bad("a name consists of Unicode characters"),
                        },
                        Err(why) => Token::Bad(why),
                    };
                }
                match self.take_while(is_name_char) {
                    "" => Token::Bad("a name must follow `@`"),
                    name => Token::Global(name.to_owned()),
                }
            }
            '"' => {
                self.next();
                self.quoted('"').map_or_else(Token::Bad, Token::Text)
            }
            '\'' => {
                self.next();
                match self.quoted('\'') {
                    Ok(codes) if codes.len() == 1 => Token::Char(codes[0]),
                    Ok(_) => Token::Bad("single quotes hold one character"),
                    Err(why) => Token::Bad(why),
                }
            }
            _ => match PUNCTUATION.into_iter().find(|p| self.rest().starts_with(p)) {
                Some(punctuation) => {
                    self.at += punctuation.len();
                    Token::Punct(punctuation)
                }
                None => {
                    self.next();
                    Token::Bad("this character has no meaning here")
                }
            },
        }
    }

    fn number(&mut self) -> Token<'a> {
        let start = self.at;
        let is_digit = |c: char| c.is_ascii_digit();
        self.take_while(is_digit);
        let mut real = false;
        let mut after = self.rest().chars();
        if after.next() == Some('.') && after.next().is_some_and(is_digit) {
            real = true;
            self.next();
            self.take_while(is_digit);
        }
        if let Some(exponent) = self.rest().strip_prefix(['e', 'E']) {
            let unsigned = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
            if unsigned.starts_with(is_digit) {
                real = true;
                self.at = self.text.len() - unsigned.len();
                self.take_while(is_digit);
            }
        }
        let digits = &self.text[start..self.at];
        Token::Number { digits, suffix: self.take_while(|c| c.is_ascii_alphanumeric() || c == '_'), real }
    }

    /// The character codes up to the closing quote.
    fn quoted(&mut self, quote: char) -> Result<Vec<u32>, &'static str> {
        const OPEN: &str = "the closing quote is missing";
        const ESCAPE: &str = "an escape is one of `\\n`, `\\t`, `\\r`, `\\\\`, `\\'`, `\\\"` and `\\u{...}`";
        let mut codes = Vec::new();
        loop {
            match self.next() {
                None | Some('\n') => return Err(OPEN),
                Some(c) if c == quote => return Ok(codes),
                Some('\\') => codes.push(match self.next() {
                    Some('n') => '\n'.into(),
                    Some('t') => '\t'.into(),
                    Some('r') => '\r'.into(),
                    Some(c @ ('\\' | '\'' | '"')) => c.into(),
                    Some('u') if self.peek() == Some('{') => {
                        self.next();
                        let digits = self.take_while(|c| c.is_ascii_hexdigit());
                        let code = u32::from_str_radix(digits, 16);
                        match (code, self.next()) {
                            (Ok(code), Some('}')) => code,
                            _ => return Err(ESCAPE),
                        }
                    }
                    _ => return Err(ESCAPE),
                }),
                Some(c) => codes.push(c.into()),
            }
        }
    }
}
