#include "app/viewer/views/compared_picture.h"

#include <algorithm>
#include <cmath>

namespace tl {

std::optional<CompareMode> find_compare_mode(const std::string& id) {
    auto at = std::ranges::find(kCompareModes, id, &CompareModeRow::id);
    if (at == kCompareModes.end()) return {};
    return static_cast<CompareMode>(at - kCompareModes.begin());
}

namespace {

/// Replaces the values right of the split by those of `b`.
void split_values(std::vector<std::uint8_t>& values, const std::vector<std::uint8_t>& b,
                  Extent extent, float at) {
    auto width = static_cast<std::size_t>(extent.width);
    for (std::size_t i = 0; i < values.size(); ++i) {
        auto x = static_cast<float>(i / 4 % width) + 0.5f;
        if (x >= at * static_cast<float>(width)) values[i] = b[i];
    }
}

}  // namespace

Image8 split_picture(const Image8& a, const Image8& b, float at) {
    Image8 both = a;
    split_values(both.rgba, b.rgba, a.extent, at);
    return both;
}

Image16 split_picture(const Image16& a, const Image16& b, float at) {
    Image16 both = a;
    split_values(both.rgba, b.rgba, a.extent, at);
    split_values(both.lower, b.lower, a.extent, at);
    return both;
}

Image8 difference_picture(const Image8& a, const Image8& b, float gain) {
    Image8 apart = a;
    for (std::size_t i = 0; i < apart.rgba.size(); ++i) {
        if (i % 4 == 3) continue;
        auto d = static_cast<float>(std::abs(int{a.rgba[i]} - int{b.rgba[i]}));
        apart.rgba[i] = static_cast<std::uint8_t>(std::min(d * gain + 0.5f, 255.0f));
    }
    return apart;
}

}  // namespace tl
