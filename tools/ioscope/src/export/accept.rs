// SPDX-License-Identifier: GPL-2.0

//! The form that a client asks for, by its header `Accept`.

use crate::cli::export::Form;

/// What each form is called in `Content-Type`.
pub fn content_type(form: Form) -> &'static str {
    match form {
        Form::Text => "text/plain; version=0.0.4; charset=utf-8",
        Form::Openmetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
        Form::Protobuf => {
            "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; \
             encoding=delimited"
        }
    }
}

/// The form that is liked best; of several the one that says most. A client that likes none gets text, as browsers do.
pub fn form(accept: &str) -> Form {
    let offers = accept.split(',').filter_map(offer);
    let rank = |form| match form {
        Form::Text => 0,
        Form::Openmetrics => 1,
        Form::Protobuf => 2,
    };
    let best = offers
        .filter(|(_, q)| *q > 0)
        .max_by_key(|(form, q)| (*q, rank(*form)));
    best.map_or(Form::Text, |(form, _)| form)
}

/// A form that we have, and how much it is liked, in thousandths.
fn offer(range: &str) -> Option<(Form, u32)> {
    let mut words = range.split(';').map(str::trim);
    let name = words.next()?.to_ascii_lowercase();
    let parameters: Vec<(String, &str)> = words
        .filter_map(|word| word.split_once('='))
        .map(|(key, value)| {
            (
                key.trim().to_ascii_lowercase(),
                value.trim().trim_matches('"'),
            )
        })
        .collect();
    let parameter = |key: &str| parameters.iter().find(|(k, _)| k == key).map(|(_, v)| *v);
    let is = |key: &str, values: &[&str]| parameter(key).is_none_or(|v| values.contains(&v));
    let form = match name.as_str() {
        "application/vnd.google.protobuf"
            if parameter("proto") == Some("io.prometheus.client.MetricFamily")
                && parameter("encoding") == Some("delimited") =>
        {
            Form::Protobuf
        }
        "application/openmetrics-text" if is("version", &["1.0.0", "0.0.1"]) => Form::Openmetrics,
        "text/plain" if is("version", &["0.0.4"]) => Form::Text,
        "text/*" | "*/*" => Form::Text,
        _ => return None,
    };
    let q = match parameter("q") {
        None => 1.0,
        Some(text) => text
            .parse::<f64>()
            .ok()
            .filter(|q| (0.0..=1.0).contains(q))?,
    };
    Some((form, (q * 1000.0) as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_get_the_form_that_they_like_best() {
        let protobuf = "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited";
        // As Prometheus 2.53 asks, with native histograms and without; a browser; and what cannot be read.
        let cases = [
            (format!("{protobuf};q=0.5,application/openmetrics-text;version=1.0.0;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2"), Form::Protobuf),
            ("application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2".into(), Form::Openmetrics),
            ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8".into(), Form::Text),
            (String::new(), Form::Text),
            ("*/*".into(), Form::Text),
            (";;,,=;q=,application/openmetrics-text;q=x".into(), Form::Text),
            (format!("{protobuf};q=0, text/plain"), Form::Text),
            ("application/vnd.google.protobuf".into(), Form::Text),
            (format!("text/plain, {protobuf}"), Form::Protobuf),
            ("APPLICATION/OpenMetrics-Text ; Version=\"1.0.0\"".into(), Form::Openmetrics),
        ];
        for (accept, expected) in cases {
            assert_eq!(form(&accept), expected, "{accept}");
        }
    }
}
