// H-PLOC, hierarchical parallel locally-ordered clustering: Benthin, Meister, Barczak, Mehalwal,
// Tsakok, Kensler 2024, "H-PLOC: Hierarchical parallel locally-ordered clustering for bounding
// volume hierarchy construction". The hierarchy of a linear BVH defines neighbourhoods of at most
// 32 clusters; within one, pairs of clusters that are each other's nearest by the area of their
// union are merged until half of the clusters are left, which are passed up the hierarchy.
//
// Departures: a merged pair's node is numbered by the start of its later half, so that nodes need
// no counter, lie along the Morton curve and are the same in every build; leaves are collapsed as
// nodes are made. Areas equal up to 2^-18 count as equal; among equal pairs closer ones come first,
// and every other pair before those between: in a row of equal boxes all pairs (0, 1), (2, 3), ...
// merge in one round, where "the first neighbour wins" would merge one pair per round.
#pragma once

#include "accel/bvh/builders/builder_configs.h"
#include "accel/bvh/builders/curve_order.h"

namespace tl {

/// Bit r - 1, for r up to 16: whether i / r is odd.
TL_HD constexpr std::uint32_t hploc_parities(std::uint32_t i) {
    std::uint32_t parities = 0;
    for (std::uint32_t r = 1; r <= 16; ++r) parities |= (i / r & 1u) << (r - 1);
    return parities;
}
/// Tie-breaking key of the pair (i, i + r), r up to 16, in five bits. Both clusters see the same
/// key and no cluster sees a key twice, so the least of all pairs is always mutual.
TL_HD constexpr std::uint32_t hploc_pair_key(std::uint32_t parities_of_i, std::uint32_t r) {
    return (r - 1) * 2 + (parities_of_i >> (r - 1) & 1u);
}
/// The tie-breaking key of the pair (i - r, i).
TL_HD constexpr std::uint32_t hploc_pair_key_below(std::uint32_t parities_of_i, std::uint32_t r) {
    return hploc_pair_key(parities_of_i, r) ^ 1u;
}
/// The partner of cluster `i` in the pair that has this key.
TL_HD constexpr std::uint32_t hploc_partner(std::uint32_t i, std::uint32_t parities_of_i,
                                            std::uint32_t key) {
    std::uint32_t r = key / 2 + 1;
    return hploc_pair_key(parities_of_i, r) == key ? i + r : i - r;
}

/// Clusters that a neighbourhood passes up; it processes twice as many.
inline constexpr std::uint32_t kHplocListSize = 16;

/// A cluster: its node or leaf, and the first of its places that numbers no node yet.
struct HplocCluster {
    NodeRef ref;
    std::uint32_t place;
};
static_assert(sizeof(HplocCluster) == 8);

}  // namespace tl
