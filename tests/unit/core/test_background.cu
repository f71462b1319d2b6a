// Streams for background work give the same results as any other stream.
#include "core/device/background.h"

#include <set>

#include "core/device/parallel_for.h"
#include "core/device/readback.h"
#include "core/device/steps_in_flight.h"
#include "solvers/dense/blas.h"
#include "solvers/dense/matrix_kernels.h"
#include "tests/device_test.h"

namespace tl::TL_DEVICE_NAME {

/// Increments numbers, by enough kernels in sequence to run for some time.
void count_on(Stream& stream, View<int> numbers) {
    parallel_for(
        stream, "count on", static_cast<std::uint32_t>(numbers.size),
        TL_LAMBDA(std::uint32_t i) { ++numbers[i]; });
}

/// Computes a fixed matrix product on the stream, with memory allocated on it.
std::vector<double> product_on(Stream& stream) {
    constexpr int kSize = 96;
    Matrix<double> a(stream, kSize, kSize), b(stream, kSize, kSize), c(stream, kSize, kSize);
    std::vector<double> host(kSize * kSize);
    for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<double>(i % 17) - 8;
    a.upload(stream, host);
    transpose_matrix<double>(stream, a.view(), b.view());
    auto blas = make_blas(stream);
    blas->gemm(Transpose::no, Transpose::no, 1.0, a.view(), b.view(), 0.0, c.view());
    return c.download(stream);
}

#if defined(__CUDACC__)

/// Records the multiprocessors used by a kernel with far more blocks than fit at once.
__global__ void note_multiprocessor(int* seen) {
    unsigned number = 0;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
    __nanosleep(2000);  // so that no multiprocessor finishes all blocks before the next starts
    if (threadIdx.x == 0) seen[number] = 1;
}

std::size_t multiprocessors_seen(Stream& stream) {
    DeviceArray<int> seen(stream, 1024);
    seen.fill_zero(stream);
    note_multiprocessor<<<20000, 128, 0, static_cast<cudaStream_t>(stream.native())>>>(seen.data());
    TL_CUDA_CHECK_LAUNCH("note_multiprocessor");
    std::size_t count = 0;
    for (int one : seen.download(stream)) count += static_cast<std::size_t>(one);
    return count;
}

#endif

}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(Background, RunsKernelsCopiesAndAllocations) {
    auto background = create_background_stream(device);
    std::vector<int> host(100'000, 7);
    for (int round = 0; round < 3; ++round) {
        DeviceArray<int> numbers(*background, std::span<const int>(host));
        DeviceArray<int> copy(*background, host.size());
        for (int i = 0; i < 50; ++i) count_on(*background, numbers.view());
        device.copy(*background, copy.data(), numbers.data(), host.size() * sizeof(int));
        EXPECT_EQ(copy.download(*background), std::vector<int>(host.size(), 57));
        copy.fill_zero(*background);
        EXPECT_EQ(copy.download(*background), std::vector<int>(host.size(), 0));
    }
}

TL_DEVICE_TEST(Background, EventsOrderAndTimeIt) {
    auto background = create_background_stream(device);
    DeviceArray<int> numbers(*background, 1'000'000);
    numbers.fill_zero(*background);
    auto begin = device.create_event(), end = device.create_event();
    begin->record(*background);
    for (int i = 0; i < 20; ++i) count_on(*background, numbers.view());
    end->record(*background);
    end->wait();
    EXPECT_TRUE(begin->ready());
    EXPECT_TRUE(end->ready());
    EXPECT_GT(end->milliseconds_since(*begin), 0);
    // A readback is taken without waiting for the stream.
    Readback<int> readback(device);
    readback.request(*background, numbers.data(), 3);
    background->synchronize();
    auto taken = readback.take();
    ASSERT_TRUE(taken.has_value());
    EXPECT_EQ(taken->value, 20);
}

TL_DEVICE_TEST(Background, ProductsAreThoseOfOtherStreams) {
    auto background = create_background_stream(device);
    // Integers: sums are exact in any order.
    EXPECT_EQ(product_on(*background), product_on(stream));
    // And back on an ordinary stream, whose library handle served the other before.
    EXPECT_EQ(product_on(stream), product_on(*background));
}

TL_DEVICE_TEST(Background, AnOrdinaryStreamGoesOnBesideIt) {
    auto background = create_background_stream(device);
    DeviceArray<int> theirs(*background, 4'000'000), ours(stream, 1000);
    theirs.fill_zero(*background);
    ours.fill_zero(stream);
    for (int i = 0; i < 30; ++i) {
        count_on(*background, theirs.view());
        count_on(stream, ours.view());
    }
    EXPECT_EQ(ours.download(stream), std::vector<int>(1000, 30));
    auto counted = theirs.download(*background);
    EXPECT_EQ(std::set<int>(counted.begin(), counted.end()), std::set<int>{30});
}

TL_DEVICE_TEST(Background, TheShareIsRespected) {
    auto whole = create_background_stream(device, {1.0f});
    auto part = create_background_stream(device, {0.25f});
    EXPECT_EQ(whole->multiprocessors(), stream.multiprocessors());
    EXPECT_LE(part->multiprocessors(), stream.multiprocessors());
#if defined(__CUDACC__)
    ASSERT_GT(part->multiprocessors(), 0);
    EXPECT_EQ(multiprocessors_seen(stream), static_cast<std::size_t>(stream.multiprocessors()));
    auto seen = multiprocessors_seen(*part);
    // Two more are shared where a library has loaded kernels that launch kernels (CUDA Driver API,
    // Green Contexts).
    EXPECT_LE(seen, static_cast<std::size_t>(part->multiprocessors()) + 2);
    std::printf("background: %zu of %d multiprocessors seen\n", seen, stream.multiprocessors());
#else
    EXPECT_EQ(part->multiprocessors(), 0);
#endif
}

TL_DEVICE_TEST(StepsInFlight, WaitsForStepsThatAreLongPast) {
    StepsInFlight steps(2);
    DeviceArray<int> numbers(stream, 1'000'000);
    numbers.fill_zero(stream);
    std::vector<std::unique_ptr<Event>> done;
    for (int i = 0; i < 12; ++i) {
        count_on(stream, numbers.view());
        done.push_back(device.create_event());
        done.back()->record(stream);
        steps.end_step(stream);
        if (i < 2) continue;
        EXPECT_TRUE(done[static_cast<std::size_t>(i) - 2]->ready()) << i;
    }
    EXPECT_EQ(numbers.download(stream).front(), 12);
}

#if !defined(__CUDACC__)

TEST(Background, TheShareIsAWholeNumberOfParts) {
    // For an H200, which is partitioned in groups of eight.
    EXPECT_EQ(tl::multiprocessors_of_share(0.25f, 132, 8, 8), 32);
    EXPECT_EQ(tl::multiprocessors_of_share(0.5f, 132, 8, 8), 64);
    EXPECT_EQ(tl::multiprocessors_of_share(0.01f, 132, 8, 8), 8);
    EXPECT_EQ(tl::multiprocessors_of_share(0.99f, 132, 8, 8), 120);
    EXPECT_EQ(tl::multiprocessors_of_share(1, 132, 8, 8), 132);
    EXPECT_EQ(tl::multiprocessors_of_share(0.25f, 46, 4, 2), 12);
    EXPECT_EQ(tl::multiprocessors_of_share(0.25f, 20, 2, 2), 6);
    // A device that cannot be partitioned is used as a whole.
    EXPECT_EQ(tl::multiprocessors_of_share(0.25f, 12, 8, 8), 12);
    EXPECT_EQ(tl::multiprocessors_of_share(0.25f, 8, 8, 8), 8);
    EXPECT_EQ(tl::multiprocessors_of_share(0.25f, 16, 0, 0), 16);
}

TEST(Background, TheShareIsASetting) {
    tl::BackgroundConfig config;
    auto settings = config.settings();
    EXPECT_EQ(tl::find_setting(settings, "gpu-share", "background").text(), "0.25");
    settings[0].set("0.5");
    EXPECT_EQ(config.gpu_share, 0.5f);
    EXPECT_THROW(settings[0].set("0"), tl::UserError);
}

#endif
