#include "app/jobs/format.h"

#include <algorithm>
#include <cmath>
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

std::string three_digits(double value) {
    constexpr double kLeast = 1e-4, kMost = 1e7;
    constexpr int kDigits = 3;
    double size = std::abs(value);
    if (size == 0 || !std::isfinite(value)) return formatted("%g", value);
    if (size < kLeast || size >= kMost) return formatted("%.2e", value);
    // Rounding may add a digit before the point, as that of 9.999 does.
    int before = 1 + static_cast<int>(std::floor(std::log10(size * (1 + 5e-4))));
    return formatted("%.*f", std::max(kDigits - before, 0), value);
}

std::string time_text(double milliseconds) {
    if (milliseconds < 1) return formatted("%.3f ms", milliseconds);  // no longer than others
    return milliseconds < 1000 ? three_digits(milliseconds) + " ms"
                               : three_digits(milliseconds / 1000) + " s";
}

std::string duration_of(double seconds) {
    return time_text(1000 * seconds);
}

std::string frame_rate_text(double per_second) {
    if (per_second > 0 && per_second < 1) return three_digits(1 / per_second) + " s a frame";
    return three_digits(std::max(per_second, 0.0)) + " fps";
}

std::string plural(std::size_t count, const std::string& what) {
    return count == 1 ? what : what + "s";
}

std::string words_of(std::string id) {
    std::ranges::replace(id, '-', ' ');
    return id;
}

}  // namespace tl
