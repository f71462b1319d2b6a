// Structures of callers, which may be those of another version of the interface.
#pragma once

#include <algorithm>

#include "library/api/guarded.h"
#include "library/api/treelight_trees.h"

namespace tl {

/// Size of a structure in version 1.0, the first, and its name.
template <class T>
struct FirstVersion;
#define TL_FIRST_VERSION(type, size)                \
    template <>                                     \
    struct FirstVersion<type> {                     \
        static constexpr std::size_t kSize = size;  \
        static constexpr const char* kName = #type; \
    };
TL_FIRST_VERSION(tl_geometry, 152)
TL_FIRST_VERSION(tl_rays, 120)
TL_FIRST_VERSION(tl_hits, 48)
TL_FIRST_VERSION(tl_closest_points, 40)
TL_FIRST_VERSION(tl_tree_info, 96)
TL_FIRST_VERSION(tl_tree_nodes, 32)
TL_FIRST_VERSION(tl_fmm_options, 48)
TL_FIRST_VERSION(tl_fmm_report, 48)
#undef TL_FIRST_VERSION

/// Checks a caller's structure: it is there, and of a size of this or an earlier version.
template <class T>
tl_status check_struct(const T* given) {
    static_assert(offsetof(T, struct_size) == 0 && sizeof(T) >= FirstVersion<T>::kSize);
    constexpr std::size_t kMost = 4096;  // far more than any version will have
    const std::size_t size = given ? given->struct_size : 0;
    if (size >= FirstVersion<T>::kSize && size <= kMost) return TL_OK;
    const std::string name = FirstVersion<T>::kName;
    if (!given) return fail(TL_INVALID, name + " is null");
    return fail(TL_INVALID, "struct_size of " + name + " is " + std::to_string(size) +
                                ": set it to sizeof(" + name + "), here " +
                                std::to_string(sizeof(T)));
}

/// Copies a caller's structure; members that it does not have are 0. Refuses members of a later
/// version that are not.
template <class T>
tl_status read_struct(const T* given, T& own) {
    if (auto status = check_struct(given)) return status;
    const auto* bytes = reinterpret_cast<const unsigned char*>(given);
    if (given->struct_size > sizeof(T) &&
        std::any_of(bytes + sizeof(T), bytes + given->struct_size, [](auto b) { return b; }))
        return fail(TL_INVALID, std::string(FirstVersion<T>::kName) +
                                    " has members that this version of the library, with " +
                                    std::to_string(sizeof(T)) +
                                    " bytes of them, does not know: leave them 0");
    own = {};
    std::memcpy(&own, given, std::min(given->struct_size, sizeof(T)));
    own.struct_size = sizeof(T);
    return TL_OK;
}

/// Fills a caller's structure, which has been checked, except for its size.
template <class T>
void write_struct(const T& own, T* to) {
    const std::size_t size = to->struct_size;
    std::memcpy(to, &own, std::min(size, sizeof(T)));
    to->struct_size = size;
}

}  // namespace tl
