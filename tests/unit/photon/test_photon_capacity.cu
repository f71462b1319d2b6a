// Capacity of a pass of photons, bounded by the counts of earlier passes.
#include "core/operators/operators.h"
#include "renderer/photon/trace/photon_capacity.h"
#include "tests/device_test.h"

TL_DEVICE_TEST(CapacityEstimate, IsOfThePassBeforeTheLastWhateverHasArrived) {
    constexpr std::uint32_t kSettings = 3, kOthers = 4, kUnknown = ~0u;
    bool is_gpu = stream.device().kind() != DeviceKind::cpu;
    DeviceArray<std::uint32_t> count(stream, 1);
    auto of_pass = [](std::uint32_t pass) { return 1000 * (pass + 1); };
    auto expected = [&](std::uint32_t pass) {
        if (!is_gpu) return of_pass(pass);
        return pass < 2 ? kUnknown : 2 * of_pass(pass - 2) + 4096;
    };
    for (bool waits : {false, true}) {
        CapacityEstimate bound;
        for (std::uint32_t pass = 0; pass < 8; ++pass) {
            fill<std::uint32_t>(stream, count.view(), of_pass(pass));
            EXPECT_EQ(bound.next(stream, count.data(), kSettings), expected(pass)) << pass;
            if (waits) stream.synchronize();
        }
        EXPECT_EQ(bound.next(stream, count.data(), kOthers), is_gpu ? kUnknown : of_pass(7));
    }
}
