#include "renderer/scene/loaders/obj/mtl_texture.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "core/base/files.h"
#include "renderer/scene/loaders/obj/plain_words.h"
#include "renderer/scene/loaders/words.h"

namespace tl {
namespace {

bool is_option_letter(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Whether a word is spelled as an option is: "-bm".
bool is_option(std::string_view word) {
    return word.size() > 1 && word[0] == '-' &&
           std::ranges::all_of(word.substr(1), is_option_letter);
}

/// Whether a name ends as those of pictures do: ".png".
bool has_ending(std::string_view name) {
    constexpr std::size_t kLongest = 5;
    std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos || dot + 1 == name.size()) return false;
    auto ending = name.substr(dot + 1);
    return ending.size() <= kLongest &&
           std::ranges::all_of(ending, [](unsigned char c) { return std::isalnum(c) != 0; });
}

/// The next word where `fits` accepts it, in lower case; else "", and it stays.
template <class Fits>
std::string take_word(std::string_view& rest, Fits fits) {
    auto after = rest;
    std::string word = lower_case(next_word(after));
    if (word.empty() || !fits(word)) return {};
    rest = after;
    return word;
}

/// A number and the word that spells it.
struct MtlNumber {
    double value;
    std::string_view word;
};

/// Up to `most` numbers at the front of `rest`.
std::vector<MtlNumber> take_numbers(std::string_view& rest, std::size_t most) {
    std::vector<MtlNumber> numbers;
    while (numbers.size() < most) {
        auto after = rest;
        auto word = next_word(after);
        auto value = real_in(word);
        if (!value) break;
        rest = after;
        numbers.push_back({*value, word});
    }
    return numbers;
}

/// A number as the library reads it, limited so that floats hold it.
std::string limited(const MtlNumber& number) {
    constexpr double kLargest = 1e30;
    if (std::abs(number.value) <= kLargest) return plain_real(number.word, number.value);
    return number_text(std::copysign(kLargest, number.value));
}

/// Reads options one after the other.
class Options {
  public:
    /// Reads an option with its arguments from the front of `rest`; false if there is none.
    bool read(std::string_view& rest) {
        auto after = rest;
        auto spelled = next_word(after);
        if (!is_option(spelled)) return false;
        std::string option = lower_case(spelled);
        bool is_known =
            read_numbers(option, after) || read_switch(option, after) || read_unused(option, after);
        if (!is_known) skip_unknown(spelled, after);
        rest = after;
        return true;
    }

    /// Whether `rest` is nothing but options. Reads them.
    bool read_all(std::string_view rest) {
        while (!trimmed(rest).empty())
            if (!read(rest)) return false;
        return true;
    }
    /// Whether each of them is known and has its arguments.
    [[nodiscard]] bool are_plain() const { return are_plain_; }

    MtlTextureStatement statement{};

  private:
    /// Options of numbers, those that a statement leaves out at their defaults.
    bool read_numbers(const std::string& option, std::string_view& rest) {
        bool is_vector = option == "-s" || option == "-o" || option == "-t";
        bool is_pair = option == "-mm";
        if (!is_vector && !is_pair && option != "-bm" && option != "-boost") return false;
        auto numbers = take_numbers(rest, is_vector ? 3 : is_pair ? 2 : 1);
        if (numbers.empty()) return lacks_argument(option);
        auto differ = [&](double first, double second) {
            return (std::isfinite(numbers[0].value) && numbers[0].value != first) ||
                   (numbers.size() > 1 && std::isfinite(numbers[1].value) &&
                    numbers[1].value != second);
        };
        if (option == "-s") statement.scale = pair(numbers, "1");
        if (option == "-o") statement.offset = pair(numbers, "0");
        if (option == "-bm" && !std::isnan(numbers[0].value))
            statement.strength = limited(numbers[0]);
        if (option == "-t" && differ(0, 0)) ignore(option);
        if (is_pair && differ(0, 1)) ignore(option);
        if (option == "-boost") ignore(option);
        return true;
    }

    /// The first two of three numbers, and `missing` for those that are none or not finite.
    static std::string pair(const std::vector<MtlNumber>& numbers, const char* missing) {
        std::string text;
        for (std::size_t k = 0; k < 2; ++k) {
            bool is_given = k < numbers.size() && std::isfinite(numbers[k].value);
            text.append(is_given ? limited(numbers[k]) : missing).append(" ");
        }
        return text + missing;
    }

    /// Options that are on or off.
    bool read_switch(const std::string& option, std::string_view& rest) {
        bool blends = option == "-blendu" || option == "-blendv";
        if (!blends && option != "-clamp" && option != "-cc") return false;
        std::string word = take_word(rest, is_switch);
        if (word.empty()) return lacks_argument(option);
        bool is_on = word == "on" || word == "1";
        if (option == "-clamp")
            statement.clamp = is_on;
        else if (is_on != blends)
            ignore(option);
        return true;
    }

    /// Options of a word, none of which is used.
    bool read_unused(const std::string& option, std::string_view& rest) {
        constexpr std::string_view kOptions[] = {"-type", "-texres", "-imfchan", "-colorspace"};
        if (std::ranges::find(kOptions, option) == std::end(kOptions)) return false;
        auto fits = [](const std::string& word) {
            return word.find('.') == std::string::npos && word[0] != '-';
        };
        if (take_word(rest, fits).empty()) return lacks_argument(option);
        ignore(option);
        return true;
    }

    /// Skips words that look like arguments.
    void skip_unknown(std::string_view option, std::string_view& rest) {
        are_plain_ = false;
        ignore(option);
        auto is_argument = [](const std::string& word) { return is_switch(word) || real_in(word); };
        while (!take_word(rest, is_argument).empty()) {
        }
    }

    bool lacks_argument(const std::string& option) {
        are_plain_ = false;
        ignore(option);
        return true;
    }
    void ignore(std::string_view what) { statement.ignored.emplace_back(what); }

    static bool is_switch(const std::string& word) {
        return word == "on" || word == "off" || word == "1" || word == "0";
    }

    bool are_plain_ = true;
};

/// Offsets of the last words that may be options after a name.
std::vector<std::size_t> option_places(std::string_view text) {
    constexpr std::size_t kMost = 32;
    std::vector<std::size_t> places;
    std::string_view rest = text;
    for (auto word = next_word(rest); !word.empty(); word = next_word(rest))
        if (is_option(word)) places.push_back(static_cast<std::size_t>(word.data() - text.data()));
    if (places.size() > kMost) places.erase(places.begin(), places.end() - kMost);
    return places;
}

/// Splits a name from the options after it, and reads those.
std::string_view take_name(std::string_view text, Options& options) {
    if (text.starts_with('"')) {
        std::size_t end = text.find('"', 1);
        auto read = options;
        if (end != std::string_view::npos && read.read_all(text.substr(end + 1))) {
            options = std::move(read);
            return trimmed(text.substr(1, end - 1));
        }
    }
    for (std::size_t place : option_places(text)) {
        auto name = trimmed(text.substr(0, place));
        auto read = options;
        if (name.empty() || !read.read_all(text.substr(place))) continue;
        if (!read.are_plain() && !has_ending(name)) continue;
        options = std::move(read);
        return name;
    }
    return text;
}

}  // namespace

std::string MtlTextureStatement::spelled() const {
    std::string text = "-s " + scale + " -o " + offset + " -clamp " + (clamp ? "on" : "off");
    if (!strength.empty()) text += " -bm " + strength;
    // A name that looks like an option is told apart by its folder.
    return text + (name.starts_with('-') ? " ./" : " ") + name;
}

MtlTextureStatement read_mtl_texture(std::string_view text) {
    Options options;
    std::string_view rest = text;
    for (auto after = text; options.read(after); rest = after) {
    }
    std::string whole(trimmed(options.are_plain() ? rest : text));
    auto name = take_name(trimmed(rest), options);
    auto& statement = options.statement;
    statement.name = std::string(name);
    if (whole != name) statement.whole = std::move(whole);
    return std::move(statement);
}

}  // namespace tl
