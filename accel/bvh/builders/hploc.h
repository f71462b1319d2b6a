// H-PLOC, hierarchical parallel locally-ordered clustering: Benthin, Meister, Barczak, Mehalwal,
// Tsakok, Kensler 2024, "H-PLOC: Hierarchical parallel locally-ordered clustering for bounding
// volume hierarchy construction". The hierarchy of a linear BVH defines neighbourhoods of at most
// 32 clusters. Within a neighbourhood, two clusters are merged if each is the other's nearest
// neighbour by the surface area of their union. Merging stops at 16 clusters, which are passed up
// the hierarchy.
//
// Departs from the paper in three points. A merged pair's node is numbered by the first position of
// its later cluster: nodes need no counter, lie along the Morton curve and are the same in every
// build. Leaves are collapsed while nodes are written. Ties are broken by pair: areas equal up to
// 2^-18 count as equal, closer pairs come first, and every other pair comes before those between.
// In a row of equal boxes all pairs (0, 1), (2, 3), ... thus merge in one round, where "the first
// neighbour wins" would merge one pair per round.
#pragma once

#include "accel/bvh/builders/builder_configs.h"
#include "accel/bvh/builders/curve_order.h"

namespace tl {

/// Parities of i / r for r from 1 to 16: bit r - 1 is set if i / r is odd.
TL_HD constexpr std::uint32_t hploc_parities(std::uint32_t i) {
    std::uint32_t parities = 0;
    for (std::uint32_t r = 1; r <= 16; ++r) parities |= (i / r & 1u) << (r - 1);
    return parities;
}
/// Tie-breaking key of the pair (i, i + r), r up to 16, in five bits. Both clusters of a pair have
/// the same key for it, and the keys of a cluster's pairs differ. The least of all pairs is thus
/// always mutual.
TL_HD constexpr std::uint32_t hploc_pair_key(std::uint32_t parities_of_i, std::uint32_t r) {
    return (r - 1) * 2 + (parities_of_i >> (r - 1) & 1u);
}
/// Tie-breaking key of the pair (i - r, i).
TL_HD constexpr std::uint32_t hploc_pair_key_below(std::uint32_t parities_of_i, std::uint32_t r) {
    return hploc_pair_key(parities_of_i, r) ^ 1u;
}
/// Partner of cluster `i` in its pair with this key.
TL_HD constexpr std::uint32_t hploc_partner(std::uint32_t i, std::uint32_t parities_of_i,
                                            std::uint32_t key) {
    std::uint32_t r = key / 2 + 1;
    return hploc_pair_key(parities_of_i, r) == key ? i + r : i - r;
}

/// Most clusters that a neighbourhood passes up; it processes up to twice as many.
inline constexpr std::uint32_t kHplocListSize = 16;

/// Cluster of references: a subtree under construction.
struct HplocCluster {
    NodeRef ref;  ///< root of the subtree: a node or a leaf
    /// Position of the first reference: the only position in the cluster that numbers no node yet.
    std::uint32_t place;
};
static_assert(sizeof(HplocCluster) == 8);

}  // namespace tl
