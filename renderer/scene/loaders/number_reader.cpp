#include "renderer/scene/loaders/number_reader.h"

#include <cmath>

#include "core/base/error.h"
#include "core/base/one_line.h"
#include "core/base/text.h"
#include "renderer/scene/limits.h"

namespace tl {
namespace {

bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == ',';
}

}  // namespace

void NumberReader::fail(const std::string& what) const {
    throw UserError(file_ + ":" + std::to_string(line_) + ": " + escaped(what));
}

void NumberReader::skip_space() {
    while (at_ < text_.size()) {
        if (text_[at_] == '#' || text_.substr(at_, 2) == "//") {
            while (at_ < text_.size() && text_[at_] != '\n') ++at_;
            continue;
        }
        if (!is_space(text_[at_])) return;
        line_ += text_[at_++] == '\n';
    }
}

std::string_view NumberReader::word() const {
    std::size_t end = at_;
    while (end < text_.size() && !is_space(text_[end])) ++end;
    return text_.substr(at_, end - at_);
}

double NumberReader::number(const char* what) {
    skip_space();
    std::string_view token = word();
    if (token.empty()) fail(std::string("the file ends where ") + what + " should be");
    std::string_view digits = token.starts_with('+') ? token.substr(1) : token;
    auto value = number_in<double>(digits);
    if (!value)
        fail("'" + std::string(token.substr(0, 40)) + "' is no number; " + what +
             " should be here");
    at_ += token.size();
    return *value;
}

float NumberReader::coordinate(const char* what) {
    double value = number(what);
    if (!(std::abs(value) <= kLargestCoordinate))
        fail(std::string(what) + " is not finite or beyond 1e15");
    return static_cast<float>(value);
}

std::int64_t NumberReader::integer(const char* what, std::int64_t minimum, std::int64_t maximum) {
    double value = number(what);
    if (!(value >= static_cast<double>(minimum) && value <= static_cast<double>(maximum)) ||
        value != std::floor(value))
        fail(std::string(what) + " is to be a whole number from " + std::to_string(minimum) +
             " to " + std::to_string(maximum));
    return static_cast<std::int64_t>(value);
}

bool NumberReader::at_end() {
    skip_space();
    return at_ == text_.size();
}

}  // namespace tl
