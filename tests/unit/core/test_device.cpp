// Devices, arrays, scratch memory and stage timing, on every device of the machine.
#include <gtest/gtest.h>

#include <thread>

#include "core/base/error.h"
#include "core/device/array.h"
#include "core/device/stage_timer.h"

namespace tl::device_tests {
namespace {

TEST(Device, TheCpuIsAlwaysThereAndFirst) {
    ASSERT_FALSE(devices().empty());
    EXPECT_EQ(devices()[0]->kind(), DeviceKind::cpu);
    EXPECT_EQ(&find_device("cpu"), devices()[0]);
    EXPECT_EQ(&find_device("auto"), devices().back());
}

TEST(Device, MemoryThatIsNotFreeIsRefusedWithAdvice) {
    EXPECT_NO_THROW(require_memory(*devices()[0], 1, "a byte", "none"));
    try {
        require_memory(*devices()[0], std::uint64_t{1} << 60, "a galaxy", "ask for a star");
        FAIL();
    } catch (const UserError& error) {
        std::string words = error.what();
        EXPECT_TRUE(words.starts_with("a galaxy needs about 1099511627776 MB on cpu, where "));
        EXPECT_TRUE(words.ends_with(" MB are free: ask for a star")) << words;
    }
}

TEST(Device, UnknownIdsListTheKnownOnes) {
    try {
        (void)find_device("gpu");
        FAIL();
    } catch (const UsageError& error) {
        EXPECT_STREQ(error.what(), "unknown device 'gpu'; known: auto, cpu, cuda");
    }
    if (!cuda_absence().empty()) {
        EXPECT_THROW((void)find_device("cuda"), UserError);
    }
}

TEST(Device, MemoryComesFromThePoolAndIsCounted) {
    for (Device* device : devices()) {
        auto stream = device->create_stream();
        auto before = device->memory_stats();
        void* block = device->allocate(10000, *stream);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % 256, 0u);
        auto during = device->memory_stats();
        EXPECT_EQ(during.allocation_count, before.allocation_count + 1);
        EXPECT_GE(during.bytes_in_use, before.bytes_in_use + 10000);
        EXPECT_GE(during.bytes_peak, during.bytes_in_use);
        device->free(block, 10000, *stream);
        stream->synchronize();
        EXPECT_EQ(device->memory_stats().bytes_in_use, before.bytes_in_use);
        EXPECT_EQ(device->allocate(0, *stream), nullptr);
    }
}

TEST(Device, AnAllocationThatCannotFitIsRefusedInWords) {
    for (Device* device : devices()) {
        auto stream = device->create_stream();
        try {
            (void)device->allocate(std::size_t{1} << 46, *stream);
            FAIL();
        } catch (const UserError& error) {
            EXPECT_NE(std::string(error.what()).find("needs about 67108864 MB"), std::string::npos)
                << error.what();
        }
        // The device stays usable after the error.
        DeviceArray<int> small(*stream, 16);
        small.fill_zero(*stream);
        EXPECT_EQ(small.download(*stream), std::vector<int>(16, 0));
    }
}

TEST(DeviceArray, CopiesThereAndBackAndGrowsOnlyWhenItMust) {
    for (Device* device : devices()) {
        auto stream = device->create_stream();
        std::vector<int> host{1, 2, 3, 4, 5};
        DeviceArray<int> array(*stream, std::span<const int>(host));
        EXPECT_EQ(array.download(*stream), host);
        auto count = device->memory_stats().allocation_count;
        array.resize_discard(*stream, 2);
        array.resize_discard(*stream, 5);
        EXPECT_EQ(device->memory_stats().allocation_count, count);
        array.resize_discard(*stream, 6);
        EXPECT_EQ(device->memory_stats().allocation_count, count + 1);
        DeviceArray<int> moved = std::move(array);
        EXPECT_EQ(moved.size(), 6u);
        EXPECT_TRUE(array.empty());  // NOLINT(bugprone-use-after-move): moved-from means empty here
    }
}

TEST(Scratch, GrowsInTheFirstRoundAndIsQuietAfterwards) {
    for (Device* device : devices()) {
        auto stream = device->create_stream();
        Scratch scratch(*stream);
        std::uint64_t count = 0;
        for (int round = 0; round < 6; ++round) {
            if (round == 2) count = device->memory_stats().allocation_count;
            Scratch::Scope outer(scratch);
            auto a = scratch.take<char>(700000);
            std::byte* inner_block = nullptr;
            {
                Scratch::Scope inner(scratch);
                inner_block = scratch.take<std::byte>(900000).data;
                EXPECT_NE(static_cast<void*>(a.data), inner_block);
            }
            // Memory returned by a scope is reused.
            EXPECT_EQ(scratch.take<std::byte>(900000).data, inner_block);
            (void)scratch.take<char>(3000000);
        }
        EXPECT_EQ(device->memory_stats().allocation_count, count);
    }
}

TEST(StageTimer, NamesAndTimesEveryStageOfAFrame) {
    for (Device* device : devices()) {
        auto stream = device->create_stream();
        StageTimer timer(*stream);
        for (int frame = 0; frame < 3; ++frame) {
            timer.begin_frame();
            {
                StageTimer::Scope a(timer, "first");
                std::this_thread::sleep_for(std::chrono::milliseconds(2));
            }
            { StageTimer::Scope b(timer, "second"); }
            timer.end_frame();
        }
        timer.flush();
        EXPECT_EQ(timer.frames(), 3u);
        ASSERT_EQ(timer.latest().size(), 3u);
        EXPECT_EQ(timer.latest()[0].name, "first");
        EXPECT_EQ(timer.latest()[1].name, "second");
        EXPECT_EQ(timer.latest()[2].name, "frame");
        EXPECT_GE(timer.latest()[2].milliseconds,
                  timer.latest()[0].milliseconds + timer.latest()[1].milliseconds);
        if (device->kind() == DeviceKind::cpu) {
            EXPECT_GE(timer.latest()[0].milliseconds, 2.0f);
        }
    }
}

}  // namespace
}  // namespace tl::device_tests
