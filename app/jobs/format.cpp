#include "app/jobs/format.h"

#include <algorithm>
#include <cstdio>

namespace tl {

std::string formatted(const char* format, ...) {
    std::va_list values;
    va_start(values, format);
    auto text = formatted_list(format, values);
    va_end(values);
    return text;
}

std::string formatted_list(const char* format, std::va_list values) {
    std::va_list again;
    va_copy(again, values);
    std::string text(static_cast<std::size_t>(std::vsnprintf(nullptr, 0, format, values)), '\0');
    std::vsnprintf(text.data(), text.size() + 1, format, again);
    va_end(again);
    return text;
}

std::string plural(std::size_t count, const std::string& what) {
    return count == 1 ? what : what + "s";
}

std::string words_of(std::string id) {
    std::ranges::replace(id, '-', ' ');
    return id;
}

}  // namespace tl
