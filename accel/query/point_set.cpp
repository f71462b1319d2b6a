#include "accel/query/point_set.h"

namespace tl {

std::uint32_t PointSet::read_n_valid(Stream& stream) const {
    return count_ > 0 ? n_valid_.download(stream)[0] : 0;
}

std::vector<vec3> PointSet::download(Stream& stream) const {
    auto points = positions_.download(stream);
    points.resize(read_n_valid(stream));
    return points;
}

std::vector<std::uint32_t> PointSet::download_ids(Stream& stream) const {
    auto ids = ids_.download(stream);
    ids.resize(read_n_valid(stream));
    return ids;
}

}  // namespace tl
