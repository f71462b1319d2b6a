// Files of complex matrices: written ones are read back unchanged, and errors in files are
// reported.
#include <cmath>
#include <limits>

#include "solvers/dense/npy_file.h"
#include "solvers/dense/number_table.h"
#include "tests/solvers/matrix_file_checks.h"
#include "tests/unit/temp_folder.h"

namespace tl::complex_files_tests {
namespace {

using namespace tl::test;
using ComplexNumbers = std::vector<Complex<double>>;

}  // namespace

TEST(ComplexFiles, ComplexArraysOfEitherPrecisionAndByteOrderAreRead) {
    TempFolder folder;
    auto expect_read = [&](const std::string& type, const std::string& data, bool single) {
        SCOPED_TRACE(type);
        auto path = folder.write(
            "a.npy",
            npy("{'descr': '" + type + "', 'fortran_order': False, 'shape': (1, 1), }", data));
        EXPECT_TRUE(is_complex_file(path));
        EXPECT_EQ(read_complex_matrix(path).data, (ComplexNumbers{{1, -2}}));
        auto batch = read_complex_batch(path);
        EXPECT_EQ(batch.data, (ComplexNumbers{{1, -2}}));
        EXPECT_EQ(batch.single, single);
    };
    using namespace std::string_literals;
    expect_read("<c16", bytes_of({1, -2}), false);
    expect_read("=c16", bytes_of({1, -2}), false);
    expect_read(">c16", "\x3f\xf0\0\0\0\0\0\0\xc0\0\0\0\0\0\0\0"s, false);
    expect_read("<c8", "\0\0\x80\x3f\0\0\0\xc0"s, true);
    expect_read(">c8", "\x3f\x80\0\0\xc0\0\0\0"s, true);
}

TEST(ComplexFiles, ComplexArraysAreReadInEitherOrder) {
    TempFolder folder;
    const std::vector<double> parts{1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6};
    auto rows = read_complex_matrix(folder.write("a.npy", complex_npy("(2, 3)", parts)));
    EXPECT_EQ(rows.rows, 2);
    EXPECT_EQ(rows.cols, 3);
    EXPECT_EQ(rows.data, (ComplexNumbers{{1, -1}, {4, -4}, {2, -2}, {5, -5}, {3, -3}, {6, -6}}));
    auto columns = read_complex_matrix(folder.write("b.npy", complex_npy("(2, 3)", parts, true)));
    EXPECT_EQ(columns.data, (ComplexNumbers{{1, -1}, {2, -2}, {3, -3}, {4, -4}, {5, -5}, {6, -6}}));
    auto vector = read_complex_matrix(folder.write("c.npy", complex_npy("(6,)", parts)));
    EXPECT_EQ(vector.rows, 6);
    EXPECT_EQ(vector.cols, 1);

    const std::vector<double> four{1, 10, 2, 20, 3, 30, 4, 40};
    const ComplexNumbers by_rows{{1, 10}, {2, 20}, {3, 30}, {4, 40}};
    auto one = read_complex_batch(folder.write("d.npy", complex_npy("(2, 2)", four)));
    EXPECT_EQ(one.n, 2);
    EXPECT_EQ(one.count, 1u);
    EXPECT_EQ(one.data, by_rows);
    auto turned = read_complex_batch(folder.write("e.npy", complex_npy("(2, 2)", four, true)));
    EXPECT_EQ(turned.data, (ComplexNumbers{{1, 10}, {3, 30}, {2, 20}, {4, 40}}));
    auto two = read_complex_batch(folder.write("f.npy", complex_npy("(4, 1, 1)", four)));
    EXPECT_EQ(two.n, 1);
    EXPECT_EQ(two.count, 4u);
    EXPECT_EQ(two.data, by_rows);
    // The same array of two matrices, first index slowest and fastest.
    const ComplexNumbers both{{1, 0}, {2, 0}, {3, 0}, {4, 0}, {0, 5}, {0, 6}, {0, 7}, {0, 8}};
    auto slowest = folder.write(
        "g.npy", complex_npy("(2, 2, 2)", {1, 0, 2, 0, 3, 0, 4, 0, 0, 5, 0, 6, 0, 7, 0, 8}));
    EXPECT_EQ(read_complex_batch(slowest).data, both);
    auto fastest = folder.write(
        "h.npy", complex_npy("(2, 2, 2)", {1, 0, 0, 5, 3, 0, 0, 7, 2, 0, 0, 6, 4, 0, 0, 8}, true));
    EXPECT_EQ(read_complex_batch(fastest).data, both);
    EXPECT_THROW((void)read_complex_batch(folder.path("a.npy")), UserError);
}

TEST(ComplexFiles, WrittenComplexMatricesAreReadAgain) {
    TempFolder folder;
    const ComplexNumbers doubles{{1, -1}, {2, 0.1}, {3, 0}, {4, 1e-300}, {5, 0.5}, {-6.5, 1e300}};
    auto path = folder.path("a.npy");
    write_npy<Complex<double>>(path, 3, 2, doubles);
    EXPECT_TRUE(is_complex_file(path));
    auto a = read_complex_matrix(path);
    EXPECT_EQ(a.rows, 3);
    EXPECT_EQ(a.cols, 2);
    EXPECT_EQ(a.data, doubles);
    const std::vector<Complex<float>> floats{{1, -1}, {2, 0.5f}, {3, 0}, {4, 1}};
    write_npy<Complex<float>>(path, 4, 0, floats);
    auto b = read_complex_matrix(path);
    EXPECT_EQ(b.rows, 4);
    EXPECT_EQ(b.cols, 1);
    EXPECT_EQ(b.data, (ComplexNumbers{{1, -1}, {2, 0.5}, {3, 0}, {4, 1}}));
    write_npy<Complex<float>>(path, 2, 2, floats);
    EXPECT_TRUE(read_complex_batch(path).single);
}

TEST(ComplexFiles, RealFilesAreReadAsComplexNumbers) {
    TempFolder folder;
    auto expect_read = [&](const std::string& path, const ComplexNumbers& values) {
        SCOPED_TRACE(path);
        EXPECT_FALSE(is_complex_file(path));
        EXPECT_EQ(read_complex_matrix(path).data, values);
        EXPECT_EQ(read_complex_batch(path).count, 1u);
    };
    auto array = folder.path("a.npy");
    write_npy<float>(array, 2, 2, std::vector<float>{1, 2, 3, 4});
    expect_read(array, {1, 2, 3, 4});
    EXPECT_TRUE(read_complex_batch(array).single);
    expect_read(folder.write("b.NPY", npy("{'descr': '>i2', 'fortran_order': False, 'shape': "
                                          "(1, 1), }",
                                          "\x01\x02")),
                {258});
    const std::string head = "%%MatrixMarket matrix coordinate ";
    expect_read(folder.write("c.mtx", head + "real skew-symmetric\n2 2 1\n2 1 5\n"), {0, 5, -5, 0});
    expect_read(folder.write("d.mtx", head + "pattern symmetric\n2 2 1\n2 1\n"), {0, 1, 1, 0});
    expect_read(folder.write("e.MTX", "%%MatrixMarket matrix array integer general\n1 1\n7\n"),
                {7});
}

TEST(ComplexFiles, ReadersOfRealNumbersRefuseComplexFiles) {
    TempFolder folder;
    auto array = folder.write("a.npy", complex_npy("(1, 1)", {1, 2}));
    auto market =
        folder.write("m.mtx", "%%MatrixMarket matrix coordinate complex hermitian\n1 1 0\n");
    for (auto& path : {array, market}) {
        EXPECT_TRUE(is_complex_file(path));
        expect_refused(path, kTakers);
        expect_error([&] { (void)read_batch(path); }, kTakers);
    }
    expect_error([&] { (void)read_number_table(array, 1, "points"); },
                 "a.npy: the numbers are complex; points have real ones");
    std::vector<double> number(1);
    NpyFile file(array);
    EXPECT_TRUE(file.complex());
    expect_error([&] { file.read(number); }, kTakers);
}

TEST(ComplexFiles, ComplexMatrixMarketIsRead) {
    TempFolder folder;
    auto read = [&](const std::string& kind, const std::string& rest) {
        auto path = folder.write("m.mtx", "%%MatrixMarket matrix " + kind + "\n" + rest);
        EXPECT_TRUE(is_complex_file(path)) << kind;
        return read_complex_matrix(path).data;
    };
    EXPECT_EQ(read("array complex general", "% a comment\n2 1\n1 -2.5\n\n+3 4d1\n"),
              (ComplexNumbers{{1, -2.5}, {3, 40}}));
    EXPECT_EQ(read("array complex symmetric", "2 2\n1 2\n3 4\n5 6\n"),
              (ComplexNumbers{{1, 2}, {3, 4}, {3, 4}, {5, 6}}));
    EXPECT_EQ(read("array complex skew-symmetric", "2 2\n3 4\n"),
              (ComplexNumbers{0, {3, 4}, {-3, -4}, 0}));
    EXPECT_EQ(read("array complex hermitian", "2 2\n1 0\n3 4\n5 0\n"),
              (ComplexNumbers{1, {3, 4}, {3, -4}, 5}));
    EXPECT_EQ(read("coordinate complex general", "2 2 3\n2 1 1 2\n2 1 10 20\n1 2 0 1\n"),
              (ComplexNumbers{0, {11, 22}, {0, 1}, 0}));
    EXPECT_EQ(read("coordinate complex symmetric", "2 2 2\n1 1 1 2\n2 1 3 4\n"),
              (ComplexNumbers{{1, 2}, {3, 4}, {3, 4}, 0}));
    EXPECT_EQ(read("coordinate complex skew-symmetric", "2 2 1\n2 1 3 4\n"),
              (ComplexNumbers{0, {3, 4}, {-3, -4}, 0}));
    // Either triangle may be listed.
    EXPECT_EQ(read("coordinate complex hermitian", "2 2 2\n2 2 7 0\n2 1 3 4\n"),
              (ComplexNumbers{0, {3, 4}, {3, -4}, 7}));
    EXPECT_EQ(read("COORDINATE Complex Hermitian", "2 2 2\n2 2 7 0\n1 2 3 4\n"),
              (ComplexNumbers{0, {3, -4}, {3, 4}, 7}));
    auto batch = read_complex_batch(folder.path("m.mtx"));
    EXPECT_EQ(batch.n, 2);
    EXPECT_EQ(batch.count, 1u);
    EXPECT_FALSE(batch.single);
    EXPECT_EQ(batch.data, (ComplexNumbers{0, {3, 4}, {3, -4}, 7}));
}

TEST(ComplexFiles, WhatIsWrongWithComplexNumbersIsSaid) {
    TempFolder folder;
    auto refused = [&](const std::string& kind, const std::string& rest, const std::string& words) {
        expect_complex_refused(folder.write("m.mtx", "%%MatrixMarket matrix " + kind + "\n" + rest),
                               words);
    };
    refused("array complex hermitian", "2 2\n1 0\n3 4\n5 6\n",
            "m.mtx:5: element (1, 1), counted from 0, is 5 + 6 i, but the diagonal of a hermitian");
    refused("coordinate complex hermitian", "2 2 2\n2 1 3 4\n1 1 5 -6\n",
            "m.mtx:4: element (0, 0), counted from 0, is 5 - 6 i, but the diagonal of a hermitian");
    refused("coordinate complex hermitian", "2 2 2\n2 1 3 4\n1 2 3 -4\n",
            ":4: entry (1, 2) is in the upper triangle");
    refused("coordinate complex hermitian", "2 3 1\n2 1 3 4\n", ":2: a symmetric matrix is square");
    refused("coordinate complex skew-symmetric", "2 2 1\n1 1 0 5\n",
            ":3: entry (1, 1) is not zero");
    refused("array complex unitary", "1 1\n1 0\n", ":1: symmetry 'unitary' is not read");
    refused("array complex general", "1 1\n1\n", ":3: the number is missing");
    refused("array complex general", "1 1\n1 x\n", ":3: number expected, not 'x'");
    refused("array complex general", "1 1\n1 2 3\n", ":3: there is more");
    refused("array complex general", "2 1\n1 2\n", ":4: the file ends early");
    refused("array complex general", "30 1\n1 2\n", ":2: the file is too short for 30 entries");
    refused("array complex general", "1 1\n1 nan\n",
            ":3: element (0, 0), counted from 0, is not finite but 1 + nan i");
    refused("array complex general", "1 1\n1e999 -1\n",
            ":3: element (0, 0), counted from 0, is not finite but inf - 1 i");
    refused("coordinate complex general", "1 1 2\n1 1 0 1e308\n1 1 0 1e308\n",
            ":4: element (0, 0), counted from 0, is not finite but a sum");
    refused("coordinate complex general", "50000 50000 0\n", "takes 38146 MiB with its zeros");

    expect_complex_refused(folder.write("a.npy", complex_npy("(2, 1)", {1, 2, 3})), "ends early");
    expect_complex_refused(folder.write("b.npy", complex_npy("(1, 1, 1)", {1, 2})), "array[0]");
    expect_complex_refused(folder.write("c.npy", complex_npy("()", {1, 2})), "a single number");
    const std::string damaged("\x93NUMPY\x01\x00\xff\xff", 10);
    for (auto& [path, words] : std::vector<std::pair<std::string, std::string>>{
             {folder.path("missing.npy"), "missing.npy: no such file"},
             {folder.write("a.txt", "1 2"), "matrices are read from .npy and .mtx files"},
             {folder.write("d.npy", "hello"), "byte 0"},
             {folder.write("e.npy", damaged), "past the file's end"},
             {folder.write("n.mtx", "%%MatrixMarket matrix array complex general\n1\n"), ":2: the"},
             {folder.write("o.mtx", "1 2\n"), "o.mtx:1:"}}) {
        expect_complex_refused(path, words);
        expect_error([&] { (void)is_complex_file(path); }, words);
    }
}

TEST(ComplexFiles, ComplexElementsThatAreNotFiniteOrNoFloatsAreNamed) {
    TempFolder folder;
    const double inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
    expect_complex_refused(
        folder.write("a.npy", complex_npy("(2, 2)", {1, 2, 3, 4, 5, -inf, 7, 8})),
        "a.npy: element (1, 0), counted from 0, is not finite but 5 - inf i");
    expect_complex_refused(
        folder.write("b.npy", complex_npy("(2, 2)", {1, 2, 3, 4, nan, 6, 7, 8}, true)),
        "b.npy: element (0, 1), counted from 0, is not finite but nan + 6 i");
    auto large =
        read_complex_matrix(folder.write("c.npy", complex_npy("(1, 2)", {1, 2, 3, 1e300})));
    expect_error([&] { require_floats("c.npy", large); },
                 "c.npy: element (0, 1), counted from 0, is 3 + 1e+300 i, beyond the range");

    auto batch_of = [&](const std::vector<double>& parts) {
        return read_complex_batch(folder.write("d.npy", complex_npy("(2, 1, 1)", parts)));
    };
    auto batch = batch_of({1, 2, nan, 1});
    EXPECT_EQ(first_not_finite("d.npy", batch),
              "d.npy: matrix 1: element (0, 0), counted from 0, is not finite but nan + 1 i");
    EXPECT_NO_THROW(require_floats("d.npy", batch));
    EXPECT_NO_THROW(require_floats("d.npy", batch_of({1, -inf, nan, nan})));
    expect_error(
        [&] {
            require_floats("d.npy", batch_of({1, 2, nan, -1e300}));
        },
        "d.npy: matrix 1: element (0, 0), counted from 0, is nan - 1e+300 i, beyond");
    EXPECT_EQ(first_not_finite("d.npy", batch_of({1, 2, 3, 1e300})), "");
}

}  // namespace tl::complex_files_tests
