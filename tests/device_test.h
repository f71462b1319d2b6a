// Macros for tests of device code: each .cu file, including its tests, is compiled once per device.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "core/base/macros.h"
#include "core/device/array.h"

/// TL_DEVICE_TEST(Suite, Behaviour) defines SuiteOnCpu.Behaviour and SuiteOnCuda.Behaviour. The
/// body can use `stream`, `scratch` and `device`, and is skipped if the device is not available.
#if defined(__CUDACC__)
#define TL_DEVICE_SUITE(suite) suite##OnCuda
#define TL_TEST_DEVICE_ID "cuda"
#else
#define TL_DEVICE_SUITE(suite) suite##OnCpu
#define TL_TEST_DEVICE_ID "cpu"
#endif
#define TL_DEVICE_TEST(suite, behaviour) TL_DEVICE_TEST_NAMED(TL_DEVICE_SUITE(suite), behaviour)
#define TL_DEVICE_TEST_NAMED(suite, behaviour) TL_DEVICE_TEST_(suite, behaviour)
#define TL_DEVICE_TEST_(suite, behaviour)                                         \
    namespace tl::TL_DEVICE_NAME {                                                \
    void suite##_##behaviour(Device& device, Stream& stream, Scratch& scratch);   \
    TEST(suite, behaviour) {                                                      \
        Device* device = ::tl::test::device_or_null(TL_TEST_DEVICE_ID);           \
        if (!device) GTEST_SKIP() << cuda_absence();                              \
        auto stream = device->create_stream();                                    \
        Scratch scratch(*stream);                                                 \
        suite##_##behaviour(*device, *stream, scratch);                           \
    }                                                                             \
    }                                                                             \
    void tl::TL_DEVICE_NAME::suite##_##behaviour([[maybe_unused]] Device& device, \
                                                 [[maybe_unused]] Stream& stream, \
                                                 [[maybe_unused]] Scratch& scratch)

namespace tl::test {

inline Device* device_or_null(const std::string& id) {
    for (Device* device : devices())
        if (device->id() == id) return device;
    return nullptr;
}

/// Array sizes for tests of the parallel utilities.
inline const std::vector<std::size_t>& sizes() {
    static const std::vector<std::size_t> list{0, 1, 2, 31, 32, 33, 1000, (1 << 20) + 1};
    return list;
}

}  // namespace tl::test
