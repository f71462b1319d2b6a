// Limits on the memory of a process.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "core/base/host_memory.h"
#include "core/device/device_cpu.h"
#include "tests/sanitized.h"
#include "tests/unit/temp_folder.h"

namespace tl::host_memory_tests {
namespace {

constexpr std::uint64_t kMb = 1 << 20;

TEST(HostMemory, ControlGroupsLimitWhatLiesInThem) {
    test::TempFolder folder;
    folder.write("a/memory.max", "1073741824\n");
    folder.write("a/memory.current", "734003200\n");
    folder.write("a/memory.stat", "anon 629145600\ninactive_file 83886080\nactive_file 20971520\n");
    folder.write("a/b/memory.max", "max\n");
    folder.write("a/b/memory.current", "5\n");
    auto limits = control_group_limits("0::/a/b\n", folder.path(""));
    ASSERT_EQ(limits.size(), 1u);  // b has none
    EXPECT_EQ(limits[0].bytes, 1024 * kMb);
    EXPECT_EQ(limits[0].free, 1024 * kMb - 600 * kMb);  // pages of files can be given up
    EXPECT_EQ(limits[0].words, "its control group allows 1024 MB");
}

TEST(HostMemory, ControlGroupsOfTheFirstVersionAreThoseOfMemory) {
    test::TempFolder folder;
    folder.write("memory/memory.limit_in_bytes", "9223372036854771712\n");  // none
    folder.write("memory/job/memory.limit_in_bytes", "209715200\n");
    folder.write("memory/job/memory.usage_in_bytes", "314572800\n");
    auto limits =
        control_group_limits("7:cpu,cpuacct:/job\n4:memory:/job\n0::/\n", folder.path(""));
    ASSERT_EQ(limits.size(), 1u);
    EXPECT_EQ(limits[0].bytes, 200 * kMb);
    EXPECT_EQ(limits[0].free, 0u);
}

TEST(HostMemory, AContainerSeesItsGroupAsTheRoot) {
    test::TempFolder folder;
    folder.write("memory.max", "104857600\n");
    folder.write("memory.current", "0\n");
    auto limits = control_group_limits("0::/docker/of-the-host\n", folder.path(""));
    ASSERT_EQ(limits.size(), 1u);
    EXPECT_EQ(limits[0].free, 100 * kMb);
    EXPECT_TRUE(control_group_limits("", folder.path("")).empty());
    EXPECT_TRUE(control_group_limits("no groups", folder.path("")).empty());
}

/// Prints the refusals of 400 MB with 300 MB of address space left, and exits: 0 if the memory of
/// the CPU device is within the limit.
void refuse_within_limit() {
    constexpr std::uint64_t kMore = 300 * kMb;
    rlimit limit{};
    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = 1000 * 1024 * kMb;
    setrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur -= address_space_limit()->free - kMore;
    setrlimit(RLIMIT_AS, &limit);
    try {
        require_host_memory(400 * kMb, "a picture", "ask for a smaller one");
    } catch (const UserError& error) {
        std::fprintf(stderr, "%s\n", error.what());
    }
    bool fits = cpu_device().memory_stats().bytes_total <= limit.rlim_cur;
    try {
        require_address_space(400 * kMb, "OpenBLAS");
    } catch (const UserError& error) {
        std::fprintf(stderr, "%s\n", error.what());
    }
    std::_Exit(fits ? 0 : 1);
}

TEST(HostMemory, ALimitOfAddressSpaceIsTakenIntoAccountAndSaid) {
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    if (test::kSanitized) GTEST_SKIP() << "sanitizers take terabytes of address space";
    EXPECT_EXIT(refuse_within_limit(), testing::ExitedWithCode(0),
                "a picture needs about 400 MB on cpu, where (29[0-9]|300) MB are free \\(ulimit -v "
                "allows [0-9]+ MB of address space\\): ask for a smaller one\n"
                "OpenBLAS needs about 400 MB of address space, where (29[0-9]|300) MB are free "
                "\\(ulimit -v allows [0-9]+ MB of address space\\): raise that limit");
}

}  // namespace
}  // namespace tl::host_memory_tests
