// Names of the values of enumerations, declared beside each enumeration:
//
//     [[nodiscard]] constexpr auto names_of(PixelFilter) {
//         return std::to_array<EnumName<PixelFilter>>({{PixelFilter::box, "box"}, ...});
//     }
#pragma once

#include <array>

namespace tl {

/// A value of an enumeration and its name in flags and files.
template <class E>
struct EnumName {
    E value;
    const char* name;
};

/// The name of an enumeration's value; "" for a value without a name.
template <class E>
[[nodiscard]] const char* name_of(E value) {
    for (auto& row : names_of(value))
        if (row.value == value) return row.name;
    return "";
}

}  // namespace tl
