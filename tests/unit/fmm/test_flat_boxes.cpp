// Boxes that are flat along an axis have a single interpolation node along it.
#include <gtest/gtest.h>

#include <array>
#include <set>

#include "accel/fmm/few_pairs.h"

namespace tl::cpu {
namespace {

TEST(FlatBoxes, HaveOnePlaceAcross) {
    const Box flat(vec3(1, 2, 3), vec3(3, 2, 9)), thick(vec3(0), vec3(1, 2, 3));
    ExpansionBox box(flat, 3);
    EXPECT_TRUE(!box.is_flat(0) && box.is_flat(1) && !box.is_flat(2));
    CountedPlaces<3> places(box);
    ASSERT_EQ(places.n, 9u);
    Chebyshev<3> chebyshev;
    std::set<std::array<float, 3>> apart;
    for (std::uint32_t i = 0; i < places.n; ++i) {
        vec3 place = box.middle + box.half * chebyshev.place(places.number(i));
        EXPECT_EQ(place.y, 2);
        apart.insert({place.x, place.y, place.z});
    }
    EXPECT_EQ(apart.size(), 9u);
    EXPECT_EQ(CountedPlaces<3>(ExpansionBox(thick, 3)).n, 27u);
    const FewPairs few{729, 3};
    EXPECT_EQ(few_pairs(few, thick, thick), 729u);
    EXPECT_EQ(few_pairs(few, flat, thick), 243u);
    EXPECT_EQ(few_pairs(few, flat, flat), 81u);
}

}  // namespace
}  // namespace tl::cpu
