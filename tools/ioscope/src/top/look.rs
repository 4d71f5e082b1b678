// SPDX-License-Identifier: GPL-2.0

//! What the terminal can show: colours, and characters that are not in ASCII.

use ratatui::style::{Color, Modifier, Style};
use ratatui::symbols::border;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colours {
    None,
    /// The 8 of the first terminals with colours.
    Eight,
    /// The palette of xterm.
    Palette,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    pub colours: Colours,
    pub has_utf8: bool,
}

/// Levels from nothing to the most.
const LEVELS: usize = 10;
const ASCII: [char; LEVELS] = [' ', '.', ':', '-', '=', '+', '*', '#', '%', '@'];
const BLOCKS: [char; LEVELS] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█', '█'];
/// From dark blue through red to white. The first is not used: nothing has no colour.
const PALETTE: [u8; LEVELS] = [16, 17, 19, 54, 90, 126, 161, 196, 214, 230];

const ASCII_BORDER: border::Set = border::Set {
    top_left: "+",
    top_right: "+",
    bottom_left: "+",
    bottom_right: "+",
    vertical_left: "|",
    vertical_right: "|",
    horizontal_top: "-",
    horizontal_bottom: "-",
};

impl Look {
    /// As the variables of the environment describe the terminal.
    pub fn new(variable: impl Fn(&str) -> Option<String>) -> Self {
        let value = |name| variable(name).filter(|value| !value.is_empty());
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(value);
        let locale = locale.unwrap_or_default().to_lowercase();
        let term = value("TERM").unwrap_or_default();
        let has_none = value("NO_COLOR").is_some() || term == "dumb" || term.starts_with("vt");
        let has_palette = term.contains("256color") || value("COLORTERM").is_some();
        let colours = match (has_none, has_palette) {
            (true, _) => Colours::None,
            (false, true) => Colours::Palette,
            (false, false) => Colours::Eight,
        };
        Look {
            colours,
            has_utf8: locale.contains("utf-8") || locale.contains("utf8"),
        }
    }

    /// A character as high as a share from 0 to 1. What is more than nothing is seen.
    pub fn bar(&self, share: f64) -> char {
        let levels = if self.has_utf8 { &BLOCKS } else { &ASCII };
        levels[level(share)]
    }

    /// A character and its style for a share from 0 to 1: the colour, or the character alone, says how much.
    pub fn heat(&self, share: f64) -> (char, Style) {
        let level = level(share);
        match self.colours {
            Colours::Palette if level != 0 => {
                let style = Style::new().bg(Color::Indexed(PALETTE[level]));
                (' ', style)
            }
            _ => (ASCII[level], Style::new()),
        }
    }

    /// Of a percentage of busy time: as gstat, from 50 and from 80 percent on.
    pub fn busy(&self, percent: f64) -> Style {
        match percent {
            _ if self.colours == Colours::None => Style::new(),
            percent if percent > 80.0 => Style::new().fg(Color::Red),
            percent if percent > 50.0 => Style::new().fg(Color::Magenta),
            _ => Style::new(),
        }
    }

    pub fn border(&self) -> border::Set {
        match self.has_utf8 {
            true => border::PLAIN,
            false => ASCII_BORDER,
        }
    }

    pub fn heading(&self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    pub fn selected(&self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }
}

/// The level of a share: 0 of nothing alone.
fn level(share: f64) -> usize {
    // Also of values that are not numbers.
    if share.is_nan() || share <= 0.0 {
        return 0;
    }
    let steps = (LEVELS - 1) as f64;
    ((share * steps).ceil() as usize).clamp(1, LEVELS - 1)
}

/// How high `count` is beside `most`, on a logarithmic scale: one alone is seen beside a million.
pub fn logarithmic(count: u64, most: u64) -> f64 {
    match count {
        0 => 0.0,
        _ => (count as f64).ln_1p() / (most.max(count) as f64).ln_1p(),
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    pub const PLAIN: Look = Look {
        colours: Colours::None,
        has_utf8: false,
    };

    #[test]
    fn the_environment_describes_the_terminal() {
        let look = |pairs: &'static [(&str, &str)]| {
            Look::new(move |name| {
                let pair = pairs.iter().find(|(key, _)| *key == name);
                pair.map(|(_, value)| (*value).to_owned())
            })
        };
        let full = look(&[("TERM", "xterm-256color"), ("LANG", "de_DE.UTF-8")]);
        assert_eq!((full.colours, full.has_utf8), (Colours::Palette, true));
        let few = look(&[("TERM", "linux"), ("LANG", "en_US.UTF-8"), ("LC_ALL", "C")]);
        assert_eq!((few.colours, few.has_utf8), (Colours::Eight, false));
        let none = look(&[("TERM", "xterm-256color"), ("NO_COLOR", "1")]);
        assert_eq!((none.colours, none.has_utf8), (Colours::None, false));
        assert_eq!(look(&[("TERM", "vt220")]).colours, Colours::None);
    }

    #[test]
    fn only_nothing_is_blank() {
        for (share, expected) in [
            (0.0, ' '),
            (f64::NAN, ' '),
            (-1.0, ' '),
            (1e-9, '.'),
            (1.0, '@'),
            (7.0, '@'),
        ] {
            assert_eq!(PLAIN.bar(share), expected, "{share}");
        }
        assert_eq!(logarithmic(0, 0), 0.0);
        assert_eq!(logarithmic(5, 5), 1.0);
        assert!(logarithmic(1, 1_000_000) > 0.0);
        let full = Look {
            colours: Colours::Palette,
            has_utf8: true,
        };
        assert_eq!(full.heat(0.0), (' ', Style::new()));
        assert_eq!(full.heat(1.0).1.bg, Some(Color::Indexed(230)));
        assert_eq!(full.bar(0.5), '▅');
    }
}
