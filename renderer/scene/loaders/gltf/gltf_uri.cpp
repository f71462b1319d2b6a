#include "renderer/scene/loaders/gltf/gltf_uri.h"

#include <array>
#include <cstdint>
#include <vector>

#include "core/base/error.h"
#include "core/base/files.h"
#include "renderer/scene/loaders/scene_paths.h"

namespace tl {
namespace {

constexpr std::string_view kScheme = "data:";

/// The value of a hexadecimal digit; -1 for other characters.
int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    char small = static_cast<char>(c | 0x20);
    return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

constexpr std::uint8_t kNoDigit = 0xFF;

/// The values of base64's digits, those of its alphabet for URLs too.
constexpr std::array<std::uint8_t, 256> kBase64 = [] {
    std::array<std::uint8_t, 256> values{};
    values.fill(kNoDigit);
    constexpr std::string_view kDigits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (std::size_t i = 0; i < kDigits.size(); ++i)
        values[static_cast<std::uint8_t>(kDigits[i])] = static_cast<std::uint8_t>(i);
    values['-'] = 62;
    values['_'] = 63;
    return values;
}();

std::string from_base64(std::string_view text) {
    std::string bytes;
    bytes.reserve(text.size() / 4 * 3 + 3);
    std::uint32_t word = 0;
    std::size_t n_digits = 0;
    bool has_ended = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        char c = text[i];
        if (c == ' ' || (c >= '\t' && c <= '\r')) continue;
        if (c == '=' && n_digits % 4 != 1) {
            has_ended = true;
            continue;
        }
        std::uint8_t value = kBase64[static_cast<std::uint8_t>(c)];
        if (value == kNoDigit || has_ended)
            throw UserError(std::string("is a data URI with ") +
                            (has_ended ? "more after the end of its base64"
                                       : "a character that is no digit of base64") +
                            ", at byte " + std::to_string(i) + " of its data; it is damaged");
        word = word << 6 | value;
        if (++n_digits % 4 != 0) continue;
        for (int shift : {16, 8, 0}) bytes += static_cast<char>(word >> shift & 0xFF);
    }
    std::size_t n_left = n_digits % 4;
    if (n_left == 1) throw UserError("is a data URI whose base64 is cut off");
    if (n_left >= 2) bytes += static_cast<char>(word >> (n_left == 2 ? 4 : 10) & 0xFF);
    if (n_left == 3) bytes += static_cast<char>(word >> 2 & 0xFF);
    return bytes;
}

}  // namespace

std::string percent_decoded(std::string_view text) {
    std::string decoded;
    decoded.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        bool is_coded = text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 &&
                        hex_digit(text[i + 2]) >= 0;
        decoded += is_coded
                       ? static_cast<char>(16 * hex_digit(text[i + 1]) + hex_digit(text[i + 2]))
                       : text[i];
        if (is_coded) i += 2;
    }
    return decoded;
}

bool is_data_uri(std::string_view uri) {
    return lower_case(trimmed(uri.substr(0, 64)).substr(0, kScheme.size())) == kScheme;
}

std::string data_of_uri(std::string_view uri) {
    uri.remove_prefix(uri.find(':') + 1);
    std::size_t comma = uri.find(',');
    if (comma == std::string_view::npos)
        throw UserError("is a data URI without a comma before its data; it is damaged");
    std::string_view type = trimmed(uri.substr(0, comma));
    std::size_t parameter = type.rfind(';');
    bool is_base64 = parameter != std::string_view::npos &&
                     lower_case(trimmed(type.substr(parameter + 1))) == "base64";
    std::string_view data = uri.substr(comma + 1);
    if (!is_base64) return percent_decoded(data);
    // The usual data have no codes, and may be large.
    if (data.find('%') == std::string_view::npos) return from_base64(data);
    return from_base64(percent_decoded(data));
}

std::filesystem::path file_of_uri(const std::string& owner, const char* what,
                                  const std::string& uri, const ReadContext& context) {
    std::vector<std::filesystem::path> folders{std::filesystem::path(owner).parent_path()};
    std::string name = percent_decoded(uri);
    if (auto path = find_referenced_file(name, folders, context); !path.empty()) return path;
    if (auto path = find_referenced_file(uri, folders, context); !path.empty()) return path;
    return referenced_file(owner, what, name, folders, context);
}

}  // namespace tl
