#include "renderer/scene/splats/place_search.h"

#include "accel/points/find_nearest.h"

namespace tl {

struct PlaceSearch::Tree {
    std::unique_ptr<Stream> stream = devices()[0]->create_stream();  // the CPU's
    DeviceArray<vec3> places;
    cpu::PointTree tree;

    explicit Tree(std::span<const vec3> from) : places(*stream, from) {
        Scratch scratch(*stream);
        auto n = static_cast<std::uint32_t>(from.size());
        DeviceArray<std::uint32_t> count(*stream, std::span<const std::uint32_t>(&n, 1));
        tree.build(scratch, places.view(), count.data());
        stream->synchronize();
    }
};

PlaceSearch::PlaceSearch(std::span<const vec3> places) : tree_(std::make_unique<Tree>(places)) {}
PlaceSearch::~PlaceSearch() = default;

std::vector<std::uint32_t> PlaceSearch::nearest(std::size_t first, std::size_t count, int k) {
    auto& t = *tree_;
    DeviceArray<std::uint32_t> indices(*t.stream, count * static_cast<std::size_t>(k));
    View<const vec3> places{t.places.data() + first, count};
    cpu::find_nearest(*t.stream, t.tree.view(), places, k, kInfinity, {indices.view(), {}, {}});
    return indices.download(*t.stream);
}

}  // namespace tl
