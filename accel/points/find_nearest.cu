#include "accel/points/find_nearest.h"

#include "accel/points/nearest_kernels.h"

TL_DEVICE_BEGIN

void find_nearest(Stream& stream, const PointTreeView& tree, View<const vec3> places, int k,
                  float radius, const NearestPoints& out) {
    find_nearest_in(stream, tree, places, k, radius, out);
}

void count_within(Stream& stream, const PointTreeView& tree, View<const vec3> places, float radius,
                  View<std::uint32_t> counts) {
    count_within_in(stream, tree, places, radius, counts);
}

TL_DEVICE_END
