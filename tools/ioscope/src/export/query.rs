// SPDX-License-Identifier: GPL-2.0

//! What is behind the `?` of a request.

/// Keys and values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query(Vec<(String, String)>);

impl Query {
    /// `None` if an escape is invalid, or what it stands for is no UTF-8.
    pub fn parse(text: &str) -> Option<Self> {
        let pairs = text.split('&').filter(|pair| !pair.is_empty());
        let pair = |pair: &str| {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            Some((unescape(key)?, unescape(value)?))
        };
        pairs.map(pair).collect::<Option<_>>().map(Query)
    }

    /// The first value of a key; none of an empty one.
    pub fn get(&self, key: &str) -> Option<&str> {
        let mut values = self.0.iter().filter(|(k, _)| k == key).map(|(_, v)| v);
        values.next().map(String::as_str).filter(|v| !v.is_empty())
    }
}

fn unescape(text: &str) -> Option<String> {
    let (mut bytes, mut rest) = (Vec::new(), text.bytes());
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digit = |byte: u8| char::from(byte).to_digit(16);
                let (high, low) = (digit(rest.next()?)?, digit(rest.next()?)?);
                u8::try_from(high * 16 + low).ok()?
            }
            b'+' => b' ',
            other => other,
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_undone() {
        let query = Query::parse("device=a%5C040b+c&from=&x&device=d").unwrap_or_default();
        assert_eq!(query.get("device"), Some("a\\040b c"));
        assert_eq!(
            (query.get("from"), query.get("x"), query.get("y")),
            (None, None, None)
        );
        for wrong in ["a=%", "a=%4", "a=%zz", "%ff=1", "a=%+1"] {
            assert_eq!(Query::parse(wrong), None, "{wrong}");
        }
    }
}
