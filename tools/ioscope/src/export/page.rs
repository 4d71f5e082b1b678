// SPDX-License-Identifier: GPL-2.0

//! The page, as it is in the binary.

use hyper::header::{HeaderName, HeaderValue};

/// A file of the page, with its path and kind.
pub struct File {
    path: &'static str,
    pub kind: &'static str,
    pub content: &'static str,
}

const SCRIPT: &str = "text/javascript; charset=utf-8";

const FILES: [File; 7] = [
    File {
        path: "/",
        kind: "text/html; charset=utf-8",
        content: include_str!("page/index.html"),
    },
    File {
        path: "/page.css",
        kind: "text/css; charset=utf-8",
        content: include_str!("page/page.css"),
    },
    File {
        path: "/page.js",
        kind: SCRIPT,
        content: include_str!("page/page.js"),
    },
    File {
        path: "/source.js",
        kind: SCRIPT,
        content: include_str!("page/source.js"),
    },
    File {
        path: "/numbers.js",
        kind: SCRIPT,
        content: include_str!("page/numbers.js"),
    },
    File {
        path: "/draw.js",
        kind: SCRIPT,
        content: include_str!("page/draw.js"),
    },
    File {
        path: "/figures.js",
        kind: SCRIPT,
        content: include_str!("page/figures.js"),
    },
];

pub fn find(path: &str) -> Option<&'static File> {
    FILES.iter().find(|file| file.path == path)
}

/// What a browser may do with anything from here: nothing but show this page, which loads nothing from elsewhere.
pub const HEADERS: [(&str, &str); 3] = [
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
];

/// The same as hyper has them.
pub fn headers() -> impl Iterator<Item = (HeaderName, HeaderValue)> {
    let header = |(name, value)| {
        (
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        )
    };
    HEADERS.into_iter().map(header)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nothing is from elsewhere, and nothing is in a place where the policy forbids it.
    #[test]
    fn the_page_is_whole() {
        for file in &FILES {
            let text = file.content;
            for other in [
                "http://",
                "https://",
                " style=",
                "onclick=",
                "innerHTML",
                "<script>",
            ] {
                assert!(!text.contains(other), "{}: {other}", file.path);
            }
            assert!(text.contains("SPDX-License-Identifier"), "{}", file.path);
        }
        let page = find("/").map_or("", |file| file.content);
        assert!(page.contains("href=\"page.css\"") && page.contains("src=\"page.js\""));
        for file in FILES.iter().filter(|file| file.kind == SCRIPT) {
            let imports = file
                .content
                .lines()
                .filter_map(|line| line.split_once(" from \"."));
            for (_, name) in imports {
                assert!(find(name.trim_end_matches("\";")).is_some(), "{name}");
            }
        }
    }
}
