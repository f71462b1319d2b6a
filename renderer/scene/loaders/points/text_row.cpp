#include "renderer/scene/loaders/points/text_row.h"

#include <algorithm>
#include <string>

#include "core/base/files.h"
#include "renderer/scene/loaders/words.h"

namespace tl {
namespace {

bool is_decimal_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

void skip_blanks_of(std::string_view& rest) {
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
}

/// The text up to one of the separators, which stays in `rest`. That of quotes goes to the closing
/// one.
TextWord word_before(std::string_view separators, std::string_view& rest) {
    if (!rest.starts_with('"')) {
        auto text = rest.substr(0, rest.find_first_of(separators));
        rest.remove_prefix(text.size());
        return {trimmed(text)};
    }
    rest.remove_prefix(1);
    auto text = rest.substr(0, rest.find('"'));
    rest.remove_prefix(std::min(text.size() + 1, rest.size()));
    rest.remove_prefix(std::min(rest.find_first_of(separators), rest.size()));
    return {trimmed(text), true};
}

/// The line with its quoted words as zeros.
std::string without_quoted(std::string_view line) {
    std::string text(line);
    bool is_within = false;
    for (char& c : text) {
        bool is_quote = c == '"';
        if (is_quote || is_within) c = '0';
        is_within = is_within != is_quote;
    }
    return text;
}

/// Whether a word is a number with commas between groups of three digits: "1,234,567".
bool has_thousands(std::string_view word) {
    if (word.starts_with('-') || word.starts_with('+')) word.remove_prefix(1);
    std::size_t group = 0, n_groups = 1;
    for (char c : word) {
        if (c == ',') {
            bool is_group = n_groups == 1 ? group > 0 && group <= 3 : group == 3;
            if (!is_group) return false;
            group = 0;
            ++n_groups;
        } else if (is_decimal_digit(c)) {
            ++group;
        } else {
            return false;
        }
    }
    return n_groups > 1 && group == 3;
}

}  // namespace

std::size_t start_of_comment(std::string_view line) {
    if (line.find('#') == std::string_view::npos && line.find("//") == std::string_view::npos)
        return line.size();
    bool is_quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '"') is_quoted = !is_quoted;
        if (is_quoted) continue;
        bool is_hash = line[i] == '#' && !line.substr(0, i).ends_with("1.");
        if (is_hash || line.substr(i, 2) == "//") return i;
    }
    return line.size();
}

void split_row(std::string_view line, TextLayout layout, std::vector<TextWord>& words) {
    words.clear();
    bool is_strict = layout.separator != ' ';
    std::string_view others = layout.decimal_commas ? " \t;" : " \t,;";
    std::string_view separators = is_strict ? std::string_view(&layout.separator, 1) : others;
    auto is_one = [&](char c) {
        return (is_strict || !is_blank(c)) && separators.find(c) != std::string_view::npos;
    };
    auto skip = [&](std::string_view& rest) {
        while (!rest.empty() && is_blank(rest[0]) && !(is_strict && rest[0] == layout.separator))
            rest.remove_prefix(1);
    };
    skip(line);
    while (!line.empty() && words.size() <= kMostWords) {
        words.push_back(word_before(separators, line));
        skip(line);
        bool is_separated = !line.empty() && is_one(line[0]);
        if (is_separated) line.remove_prefix(1);
        skip(line);
        if (is_separated && is_strict && line.empty()) words.emplace_back();
    }
}

CommaUse use_of_commas(std::string_view line, bool has_points) {
    std::string text = without_quoted(line);
    has_points = has_points || text.find('.') != std::string::npos;
    if (text.find(';') != std::string::npos)
        return has_points ? CommaUse::unclear : CommaUse::decimal_marks;
    bool is_one_word = trimmed(text).find_first_of(" \t") == std::string_view::npos;
    bool has_inner = false, has_outer = false, has_lists = false, has_others = false;
    for (std::string_view rest = text; !rest.empty();) {
        skip_blanks_of(rest);
        auto word = rest.substr(0, rest.find_first_of(" \t"));
        rest.remove_prefix(word.size());
        auto inner = word;
        while (inner.starts_with(',')) inner.remove_prefix(1);
        while (inner.ends_with(',')) inner.remove_suffix(1);
        has_outer = has_outer || inner.size() < word.size();
        auto n_commas = std::ranges::count(inner, ',');
        has_inner = has_inner || n_commas > 0;
        has_lists = has_lists || n_commas > 1;
        has_others = has_others || (n_commas > 0 && !has_thousands(inner));
    }
    if (is_one_word || !has_inner) return CommaUse::separators;
    if (has_lists) return has_others ? CommaUse::separators : CommaUse::unclear;
    return has_outer || has_points ? CommaUse::unclear : CommaUse::decimal_marks;
}

std::optional<double> number_of(TextWord word, bool decimal_commas) {
    auto text = word.text;
    if (auto value = real_in(text)) {
        bool has_point = decimal_commas && text.find('.') != std::string_view::npos;
        return has_point && !special_real_in(text.substr(text.starts_with('+'))) ? std::nullopt
                                                                                 : value;
    }
    constexpr std::size_t kLongest = 64;  // of a number that anybody writes
    if (text.size() > kLongest) return {};
    std::string spelled(text);
    if (auto comma = spelled.find(','); comma != std::string::npos) {
        bool is_mark = (decimal_commas || word.is_quoted) && spelled.find('.') == std::string::npos;
        if (!is_mark) return {};
        spelled[comma] = '.';
    }
    auto exponent = spelled.find_first_of("dD");
    if (exponent != std::string::npos && exponent > 0) spelled[exponent] = 'e';
    return real_in(spelled);
}

}  // namespace tl
