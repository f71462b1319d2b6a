#include "accel/octree/octree_builder.h"

#include <algorithm>
#include <utility>

namespace tl {

void Octree::reserve(Stream& stream, std::size_t n, const OctreeConfig& config) {
    if (n > kMostPoints)
        throw UserError("an octree holds at most " + std::to_string(kMostPoints) + " points, not " +
                        std::to_string(n));
    // Points on surfaces or in volumes need about half as many nodes; points on curves need more.
    std::size_t usual = n * 8 / static_cast<std::size_t>(config.leaf_size + 1) + 4096;
    std::size_t n_nodes = std::max(usual, room_);
    bool is_alike = n == points_.size() && config.leaf_size == leaf_size_ &&
                    config.max_level == OctreeGrid::kLevels;
    if (!is_alike) key_levels_ = OctreeGrid::kLevels;
    leaf_size_ = config.leaf_size;
    header_.resize_discard(stream, 1);
    nodes_.resize_discard(stream, n_nodes);
    parents_.resize_discard(stream, n_nodes);
    attributes_.resize_discard(stream, n_nodes);
    points_.resize_discard(stream, n);
    keys_.resize_discard(stream, n);
    spare_keys_.resize_discard(stream, n);
}

bool Octree::make_room(Stream& stream) {
    constexpr int kDigitBits = 8;  // digit of a radix sort pass; the last pass may as well be full
    OctreeHeader built = header(stream);
    bool is_whole = built.n_nodes == built.n_wanted && !built.is_shallow;
    room_ = std::max<std::size_t>(room_, built.n_wanted);
    int n_bits = (3 * built.n_levels() + kDigitBits) / kDigitBits * kDigitBits;
    // On the CPU ordering the leaves takes longer than the radix sort passes that it saves.
    bool is_worth_it = is_whole && stream.device().kind() == DeviceKind::cuda;
    key_levels_ =
        is_worth_it ? std::min((n_bits - 1) / 3, OctreeGrid::kLevels) : OctreeGrid::kLevels;
    return !is_whole;
}

OctreeHeader Octree::header(Stream& stream) const {
    return header_.download(stream)[0];
}

OctreeView Octree::view() {
    return {header_.view(),     nodes_.view(),  parents_.view(),
            attributes_.view(), points_.view(), keys_.view()};
}

std::size_t Octree::bytes() const {
    return header_.bytes() + nodes_.bytes() + parents_.bytes() + attributes_.bytes() +
           points_.bytes() + spare_points_.bytes() + keys_.bytes() + spare_keys_.bytes();
}

Octree::KeyBuffers Octree::key_buffers() {
    return {keys_.view(), spare_keys_.view()};
}

View<const std::uint64_t> Octree::other_keys(View<const std::uint64_t> keys) const {
    return keys.data == keys_.data() ? spare_keys_.view() : keys_.view();
}

void Octree::use_keys(View<const std::uint64_t> keys) {
    if (keys.data != keys_.data()) std::swap(keys_, spare_keys_);
}

View<Surfel> Octree::spare_points(Stream& stream) {
    spare_points_.resize_discard(stream, points_.size());
    return spare_points_.view();
}

void Octree::use_spare_points() {
    std::swap(points_, spare_points_);
}

}  // namespace tl
