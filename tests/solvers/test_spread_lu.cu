// PLU factorisations over several devices. Lists have one device more than once where the machine
// has too few: its streams then exchange panels as those of several devices do.
#include <cmath>
#include <filesystem>
#include <limits>

#include "solvers/dense/devices/spread_files.h"
#include "solvers/dense/devices/spread_lu.h"
#include "solvers/dense/devices/spread_solve.h"
#include "solvers/dense/linear/linear.h"
#include "solvers/dense/lu/lu_factors.h"
#include "solvers/dense/matrix_files.h"
#include "tests/solvers/narrow_device.h"
#include "tests/solvers/svd_checks.h"

#if defined(__CUDACC__)
#include "solvers/dense/devices/cusolver_mg.h"
#endif

namespace tl::TL_DEVICE_NAME {
namespace test_spread_lu_tests {

using namespace tl::test;

/// A list of `count` devices of the kind that runs the test.
std::vector<Device*> devices_for_test(int count) {
    std::vector<Device*> of_kind, list;
    for (Device* device : devices())
        if (std::string(device_id(device->kind())) == TL_TEST_DEVICE_ID) of_kind.push_back(device);
    for (int i = 0; i < count; ++i)
        list.push_back(of_kind[static_cast<std::size_t>(i) % of_kind.size()]);
    return list;
}

struct Shape {
    int rows, cols, block, leaf;
};

/// Blocks of one column, more blocks than columns, and panels of several leaves.
const std::vector<Shape> kShapes{{1, 1, 64, 64},     {5, 5, 64, 64},     {7, 3, 2, 2},
                                 {64, 64, 16, 16},   {100, 100, 32, 16}, {130, 70, 16, 8},
                                 {70, 130, 32, 32},  {257, 257, 64, 16}, {300, 200, 96, 32},
                                 {200, 333, 48, 16}, {90, 90, 128, 64},  {37, 37, 1, 2}};

std::string words_of(const Shape& s) {
    return std::to_string(s.rows) + "x" + std::to_string(s.cols) + " in blocks of " +
           std::to_string(s.block) + ", leaves of " + std::to_string(s.leaf);
}

LuBlocks widths_of(const Shape& s, bool look_ahead = true) {
    return {.leaf = s.leaf, .block = s.block, .look_ahead = look_ahead};
}

template <class T>
SpreadMatrix<T> uniform(DeviceGroup& group, const Shape& s, std::uint64_t seed) {
    SpreadMatrix<T> a(group, s.rows, s.cols, s.block);
    generate_spread(group, {"uniform", s.rows, s.cols, 1, seed}, a);
    return a;
}

/// Copies a host's matrix to all parts.
template <class T>
SpreadMatrix<T> spread_host(DeviceGroup& group, const HostMatrix<T>& host, int block) {
    SpreadMatrix<T> a(group, host.rows, host.cols, block);
    Matrix<T> whole(group.stream(0), host.rows, host.cols);
    whole.upload(group.stream(0), host.data);
    spread<T>(group, whole.view(), a);
    group.synchronize();
    return a;
}

template <class T>
LuFactors<T> factors_by_lapack(Stream& cpu, const HostMatrix<T>& host) {
    Matrix<T> a(cpu, host.rows, host.cols);
    a.upload(cpu, host.data);
    SolverRun run;
    return make_lu_solver("lapack-getrf", cpu.device())->factorise(cpu, a.view(), run);
}

/// Compares with LAPACK on the same matrix: the pivots are the same, and elements differ by
/// rounding, which pivots of random matrices of some hundred rows enlarge to about n eps.
template <class T>
void expect_factors_of_lapack(const Shape& s, int n_devices, bool look_ahead) {
    SCOPED_TRACE(words_of(s) + ", devices: " + std::to_string(n_devices));
    DeviceGroup group(devices_for_test(n_devices));
    auto a = uniform<T>(group, s, 5);
    auto cpu = find_device("cpu").create_stream();
    auto theirs = factors_by_lapack(*cpu, download_all(group, a));
    SolverRun run;
    auto own = factorise_over_devices(group, a, widths_of(s, look_ahead), run);
    EXPECT_EQ(run.progress(), 1.0f);
    EXPECT_EQ(own.swaps, theirs.swaps);
    auto ours = download_all(group, a), expected = to_host(*cpu, theirs.lu);
    T tolerance =
        200 * static_cast<T>(std::max(s.rows, s.cols)) * std::numeric_limits<T>::epsilon();
    for (std::size_t i = 0; i < ours.data.size(); ++i)
        ASSERT_NEAR(ours.data[i], expected.data[i], tolerance) << "element " << i;
}

/// The largest difference of two matrices.
template <class T>
double largest_difference(const HostMatrix<T>& a, const HostMatrix<T>& b) {
    double largest = 0;
    for (std::size_t i = 0; i < a.data.size(); ++i)
        largest = std::max(largest, std::abs(static_cast<double>(a.data[i] - b.data[i])));
    return largest;
}

HostMatrix<double> ones(int rows, int cols) {
    HostMatrix<double> x(rows, cols);
    std::ranges::fill(x.data, 1.0);
    return x;
}

}  // namespace test_spread_lu_tests
using namespace test_spread_lu_tests;

}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(SpreadLu, FactorsAreThoseOfLapack) {
    for (auto& shape : kShapes)
        for (int n_devices : {1, 2, 3}) {
            expect_factors_of_lapack<double>(shape, n_devices, true);
            expect_factors_of_lapack<float>(shape, n_devices, true);
        }
}

TL_DEVICE_TEST(SpreadLu, FactorsWithoutLookAheadAreThoseOfLapack) {
    for (auto& shape : kShapes) expect_factors_of_lapack<double>(shape, 2, false);
}

// The products of a list of one are those of one device without a list, column by column. On a GPU
// panels are aligned otherwise, so that cuBLAS may sum in another order.
TL_DEVICE_TEST(SpreadLu, AListOfOneHasTheFactorsOfOneDevice) {
    const Shape shape{333, 301, 32, 16};
    DeviceGroup group(devices_for_test(1));
    auto a = uniform<double>(group, shape, 12);
    Matrix<double> plain(stream, 333, 301);
    plain.upload(stream, download_all(group, a).data);
    DeviceArray<int> swaps(stream, 301);
    factorise_by_blocks<double>(stream, plain.view(), swaps.view(), widths_of(shape),
                                [](double) {});
    SolverRun run;
    EXPECT_EQ(factorise_over_devices(group, a, widths_of(shape), run).swaps,
              swaps.download(stream));
    double most = device.kind() == DeviceKind::cpu ? 0 : 1e-11;
    EXPECT_LE(largest_difference(download_all(group, a), to_host(stream, plain)), most);
}

// Products run over other columns in each list, which the BLAS may sum in another order: bits are
// the same from run to run, and pivots in all lists.
TL_DEVICE_TEST(SpreadLu, RunsRepeatToTheBitAndListsHaveTheSamePivots) {
    const Shape shape{333, 301, 32, 16};
    SolverRun run;
    std::vector<int> swaps;
    for (int n_devices : {1, 2, 4, 7}) {
        SCOPED_TRACE(n_devices);
        DeviceGroup group(devices_for_test(n_devices));
        auto first = uniform<double>(group, shape, 11), second = uniform<double>(group, shape, 11);
        auto factors = factorise_over_devices(group, first, widths_of(shape), run);
        (void)factorise_over_devices(group, second, widths_of(shape), run);
        EXPECT_EQ(download_all(group, first).data, download_all(group, second).data);
        if (swaps.empty()) swaps = factors.swaps;
        EXPECT_EQ(factors.swaps, swaps);
    }
}

TL_DEVICE_TEST(SpreadLu, WidthsOfTheSizeGiveFactors) {
    auto widths = spread_widths({}, 300, sizeof(double));
    expect_factors_of_lapack<double>({300, 300, widths.block, widths.leaf}, 2, true);
    auto asked = spread_widths({.leaf = 32, .block = 100}, 32768, sizeof(double));
    EXPECT_EQ(asked.leaf, 32);
    EXPECT_EQ(asked.block, 96);
    for (int steps : {1, 8192, 32768, 100000})
        for (std::size_t size : {sizeof(float), sizeof(double)}) {
            auto open = spread_widths({}, steps, size);
            EXPECT_TRUE(open.leaf == 64 || open.leaf == kMostLeaf);
            EXPECT_EQ(open.block % open.leaf, 0);
        }
}

TL_DEVICE_TEST(SpreadLu, SingularMatricesHaveAZeroPivot) {
    HostMatrix<double> host(40, 40), zero(33, 33);
    for (int j = 0; j < 40; ++j)
        for (int i = 0; i < 40; ++i) host(i, j) = j == 20 ? 0 : std::sin(1.0 + 41 * i + 7 * j * j);
    DeviceGroup group(devices_for_test(2));
    SolverRun run;
    auto a = spread_host(group, host, 8), nothing = spread_host(group, zero, 8);
    (void)factorise_over_devices(group, a, {.leaf = 8}, run);
    EXPECT_EQ(first_zero(pivots_over_devices(group, a)), 20);
    auto factors = factorise_over_devices(group, nothing, {.leaf = 8}, run);
    EXPECT_EQ(first_zero(pivots_over_devices(group, nothing)), 0);
    EXPECT_EQ(factors.swaps[7], 7);
    auto regular = uniform<double>(group, {30, 50, 8, 8}, 3);
    (void)factorise_over_devices(group, regular, {.leaf = 8}, run);
    EXPECT_EQ(first_zero(pivots_over_devices(group, regular)), -1);
}

TL_DEVICE_TEST(SpreadLu, ElementsThatAreNotFiniteAreNamed) {
    HostMatrix<double> host(9, 9);
    host(3, 5) = std::numeric_limits<double>::infinity();
    DeviceGroup group(devices_for_test(3));
    auto a = spread_host(group, host, 2);
    SolverRun run;
    try {
        (void)factorise_over_devices(group, a, {}, run);
        FAIL() << "nothing was thrown";
    } catch (const UserError& error) {
        EXPECT_NE(std::string(error.what()).find("element (3, 5)"), std::string::npos)
            << error.what();
    }
}

TL_DEVICE_TEST(SpreadLu, ACancelledRunEnds) {
    DeviceGroup group(devices_for_test(2));
    auto a = uniform<double>(group, {120, 120, 8, 8}, 4);
    SolverRun run;
    run.cancel();
    EXPECT_THROW((void)factorise_over_devices(group, a, {.leaf = 8}, run), Cancelled);
}

TL_DEVICE_TEST(SpreadLu, SystemsHaveTheirSolutions) {
    for (int n_devices : {1, 2, 3})
        for (int n_sides : {1, 7, 130}) {
            SCOPED_TRACE(std::to_string(n_devices) + " " + std::to_string(n_sides));
            DeviceGroup group(devices_for_test(n_devices));
            const Shape shape{150, 150, 16, 8};
            auto a = uniform<double>(group, shape, 9);
            auto host = download_all(group, a);
            HostMatrix<double> x(150, n_sides), b(150, n_sides);
            for (int j = 0; j < n_sides; ++j)
                for (int i = 0; i < 150; ++i) x(i, j) = std::cos(i + 3.0 * j);
            for (int j = 0; j < n_sides; ++j)
                for (int i = 0; i < 150; ++i) {
                    long double sum = 0;
                    for (int k = 0; k < 150; ++k)
                        sum += static_cast<long double>(host(i, k)) * x(k, j);
                    b(i, j) = static_cast<double>(sum);
                }
            EXPECT_LE(largest_difference(product_over_devices(group, a, x), b), 1e-12);
            SolverRun run;
            auto factors = factorise_over_devices(group, a, widths_of(shape), run);
            auto solved = solve_over_devices(group, a, factors.swaps, b);
            // The condition number is below 1e5.
            EXPECT_LE(largest_difference(solved, x), 1e-9);
            generate_spread(group, {"uniform", 150, 150, 1, 9}, a);
            double error = backward_error_over_devices(group, a, solved, b);
            EXPECT_GT(error, 0);
            EXPECT_LE(error, 150 * std::numeric_limits<double>::epsilon());
        }
}

TL_DEVICE_TEST(SpreadLu, BackwardErrorsAreThoseOfOneDevice) {
    DeviceGroup group(devices_for_test(3));
    const Shape shape{60, 60, 8, 8};
    auto a = uniform<double>(group, shape, 21);
    auto x = ones(60, 2), b = product_over_devices(group, a, x);
    x(17, 1) += 1e-3;
    Matrix<double> whole(stream, 60, 60), at_x(stream, 60, 2), at_b(stream, 60, 2);
    whole.upload(stream, download_all(group, a).data);
    at_x.upload(stream, x.data);
    at_b.upload(stream, b.data);
    auto blas = make_blas(stream);
    double expected = backward_error<double>(*blas, whole.view(), at_x.view(), at_b.view());
    EXPECT_GT(expected, 1e-6);
    EXPECT_NEAR(backward_error_over_devices(group, a, x, b), expected, 1e-9 * expected);
}

#if defined(__CUDACC__)
TL_DEVICE_TEST(SpreadLu, CusolverMgSolvesTheSameSystem) {
    if (!has_cusolver_mg()) GTEST_SKIP() << "cuSOLVERMg is not installed";
    DeviceGroup group(find_devices("cuda:all"));
    const int n = 700;
    auto a = uniform<double>(group, {n, n, kCusolverMgBlock, 0}, 22);
    auto b = product_over_devices(group, a, ones(n, 1));
    auto factors = factorise_by_cusolver_mg(group, a);
    EXPECT_GT(factors.seconds, 0);
    auto x = solve_over_devices(group, a, factors.swaps, b);
    generate_spread(group, {"uniform", n, n, 1, 22}, a);
    EXPECT_LE(backward_error_over_devices(group, a, x, b),
              n * std::numeric_limits<double>::epsilon());
}
#endif

TL_DEVICE_TEST(SpreadLu, GeneratedMatricesAreThoseOfOneDevice) {
    auto blas = make_blas(stream);
    DeviceGroup group(devices_for_test(2));
    for (const char* kind : {"uniform", "hilbert", "geometric"}) {
        SCOPED_TRACE(kind);
        MatrixSpec spec{kind, 50, 50, 100, 4};
        SpreadMatrix<double> a(group, 50, 50, 8);
        generate_spread(group, spec, a);
        EXPECT_EQ(download_all(group, a).data, make_matrix<double>(*blas, spec).download(stream));
    }
}

TL_DEVICE_TEST(SpreadLu, FilesAreReadInParts) {
    auto path =
        (std::filesystem::temp_directory_path() /
         (std::string("spread_lu_") + TL_TEST_DEVICE_ID + std::to_string(getpid()) + ".npy"))
            .string();
    HostMatrix<double> host(21, 34);
    for (std::size_t i = 0; i < host.data.size(); ++i) host.data[i] = 0.5 * static_cast<double>(i);
    write_npy<double>(path, host.rows, host.cols, host.data);
    auto extents = extents_of_file(path);
    EXPECT_EQ(extents.rows, 21);
    EXPECT_EQ(extents.cols, 34);
    DeviceGroup group(devices_for_test(3));
    SpreadMatrix<double> a(group, 21, 34, 4);
    read_spread(group, path, a);
    std::filesystem::remove(path);
    EXPECT_EQ(download_all(group, a).data, host.data);
}

TL_DEVICE_TEST(SpreadLu, RefusedMemoryNamesTheDevice) {
    NarrowDevice narrow(device, 1 << 20);
    DeviceGroup group({&narrow, &narrow});
    EXPECT_NO_THROW(SpreadMatrix<double>(group, 300, 300, 32));
    try {
        // Each half fits, but the device has both.
        SpreadMatrix<double> a(group, 400, 400, 32);
        FAIL() << "nothing was thrown";
    } catch (const OutOfMemory& error) {
        EXPECT_NE(std::string(error.what()).find(narrow.id()), std::string::npos) << error.what();
    }
}

TL_DEVICE_TEST(SpreadLu, MixedDevicesAreRefused) {
    NarrowDevice other(device, 0);
    other.set_kind(device.kind() == DeviceKind::cpu ? DeviceKind::cuda : DeviceKind::cpu);
    EXPECT_THROW(DeviceGroup({&device, &other}), UsageError);
    EXPECT_NO_THROW(DeviceGroup({&device, &device}));
}
