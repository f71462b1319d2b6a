// Streams that wait for each other on the device, and stage times on several streams.
#include "core/device/background.h"
#include "core/device/parallel_for.h"
#include "core/device/stage_timer.h"
#include "tests/device_test.h"

#if defined(__CUDACC__)
#include "core/device/cuda_check.h"
#endif

namespace tl::TL_DEVICE_NAME {

void add_one(Stream& stream, View<int> numbers) {
    parallel_for(
        stream, "add one", static_cast<std::uint32_t>(numbers.size),
        TL_LAMBDA(std::uint32_t i) { ++numbers[i]; });
}

#if defined(__CUDACC__)
int priority_of(const Stream& stream) {
    int priority = 0;
    TL_CUDA_CHECK(cudaStreamGetPriority(static_cast<cudaStream_t>(stream.native()), &priority));
    return priority;
}
#endif

}  // namespace tl::TL_DEVICE_NAME

/// The other stream copies each round's numbers, neither before they are complete nor after the
/// next round has begun to change them. The host waits for neither stream.
TL_DEVICE_TEST(Event, HoldsBackAnotherStream) {
    constexpr int kRounds = 6, kSteps = 20;
    constexpr std::size_t kSize = 1'000'000;
    auto other = device.create_urgent_stream();
    auto counted = device.create_event(), copied = device.create_event();
    DeviceArray<int> numbers(stream, kSize);
    numbers.fill_zero(stream);
    std::vector<DeviceArray<int>> copies;
    for (int round = 0; round < kRounds; ++round) copies.emplace_back(*other, kSize);
    copied->hold(stream);  // has no effect before the event is recorded
    for (auto& copy : copies) {
        for (int i = 0; i < kSteps; ++i) add_one(stream, numbers.view());
        counted->record(stream);
        counted->hold(*other);
        device.copy(*other, copy.data(), numbers.data(), kSize * sizeof(int));
        copied->record(*other);
        copied->hold(stream);
    }
    int expected = 0;
    for (auto& copy : copies) {
        expected += kSteps;
        EXPECT_EQ(copy.download(*other), std::vector<int>(kSize, expected));
    }
}

TL_DEVICE_TEST(StageTimer, TimesStagesOnTheStreamThatTheyRunOn) {
    constexpr int kSteps = 50;
    auto other = device.create_urgent_stream();
    DeviceArray<int> numbers(*other, 8'000'000);
    numbers.fill_zero(*other);
    auto begin = device.create_event(), end = device.create_event();
    StageTimer timer(stream);
    timer.begin_frame();
    { StageTimer::Scope stage(timer, "before"); }
    {
        StageTimer::OnStream on(timer, *other);
        StageTimer::Scope stage(timer, "beside");
        begin->record(*other);
        for (int i = 0; i < kSteps; ++i) add_one(*other, numbers.view());
        end->record(*other);
    }
    end->hold(stream);
    { StageTimer::Scope stage(timer, "after"); }
    timer.end_frame();
    timer.flush();
    auto& stages = timer.latest();
    ASSERT_EQ(stages.size(), 4u);
    EXPECT_EQ(stages[0].name, "before");
    EXPECT_EQ(stages[1].name, "beside");
    EXPECT_EQ(stages[2].name, "after");
    // Events have a resolution of about 0.5 microseconds (CUDA Runtime API, cudaEventElapsedTime).
    constexpr float kResolution = 0.001f;
    EXPECT_GE(stages[1].milliseconds, end->milliseconds_since(*begin) - kResolution);
    EXPECT_GE(stages[3].milliseconds, end->milliseconds_since(*begin) - kResolution);
}

#if defined(__CUDACC__)
TL_DEVICE_TEST(Streams, UrgentOnesGoFirstAndThoseOfTheBackgroundLast) {
    auto background = create_background_stream(device, {1.0f});
    auto urgent = device.create_urgent_stream();
    int least = 0, greatest = 0;
    TL_CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    EXPECT_EQ(priority_of(*urgent), greatest);  // a smaller number means higher priority
    EXPECT_EQ(priority_of(*background), least);
    if (least - greatest < 2) GTEST_SKIP() << "this GPU has no three priorities";
    EXPECT_EQ(priority_of(stream), greatest + 1);
}
#endif
