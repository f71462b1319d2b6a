// Matrix files: written matrices are read back unchanged, and errors in files are reported.
#include "solvers/dense/matrix_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <limits>

#include "tests/solvers/matrix_file_checks.h"
#include "tests/unit/temp_folder.h"

namespace tl::matrix_files_tests {

using namespace tl::test;
TEST(MatrixFiles, BatchesAreReadRowByRowInEitherOrder) {
    TempFolder folder;
    std::vector<double> rows{1, 2, 3, 4, 5, 6, 7, 8};
    write_file(
        folder.path("c.npy"),
        npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2, 2), }", bytes_of(rows)));
    auto c = read_batch(folder.path("c.npy"));
    EXPECT_EQ(c.n, 2);
    EXPECT_EQ(c.count, 2u);
    EXPECT_FALSE(c.single);
    EXPECT_EQ(c.data, rows);
    std::vector<double> columns{1, 5, 3, 7, 2, 6, 4, 8};  // the same array, first index fastest
    write_file(
        folder.path("f.npy"),
        npy("{'descr': '<f8', 'fortran_order': True, 'shape': (2, 2, 2), }", bytes_of(columns)));
    EXPECT_EQ(read_batch(folder.path("f.npy")).data, rows);
    write_npy<double>(folder.path("one.npy"), 2, 2, std::vector<double>{1, 3, 2, 4});
    auto one = read_batch(folder.path("one.npy"));
    EXPECT_EQ(one.count, 1u);
    EXPECT_EQ(one.data, (std::vector<double>{1, 2, 3, 4}));
    write_npy<double>(folder.path("wide.npy"), 1, 2, std::vector<double>{1, 2});
    EXPECT_THROW((void)read_batch(folder.path("wide.npy")), UserError);
    write_file(
        folder.path("short.npy"),
        npy("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2, 2), }", bytes_of(rows)));
    EXPECT_THROW((void)read_batch(folder.path("short.npy")), UserError);
}

TEST(MatrixFiles, WrittenMatricesAreReadAgain) {
    TempFolder folder;
    std::vector<double> doubles{1, 2, 3, 4, 5, 6.5};
    write_npy<double>(folder.path("a.npy"), 3, 2, doubles);
    auto a = read_matrix(folder.path("a.npy"));
    EXPECT_EQ(a.rows, 3);
    EXPECT_EQ(a.cols, 2);
    EXPECT_EQ(a.data, doubles);
    std::vector<float> floats{1, 2, 3, 4};
    write_npy<float>(folder.path("b.npy"), 4, 0, floats);
    auto b = read_matrix(folder.path("b.npy"));
    EXPECT_EQ(b.rows, 4);
    EXPECT_EQ(b.cols, 1);
    EXPECT_EQ(b.data, (std::vector<double>{1, 2, 3, 4}));
    EXPECT_THROW(write_npy<float>(folder.path("no/b.npy"), 4, 0, floats), UserError);
}

TEST(MatrixFiles, RowMajorArraysAreTurned) {
    TempFolder folder;
    auto path =
        folder.write("c.npy", npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }\n",
                                  bytes_of({1, 2, 3, 4, 5, 6})));
    EXPECT_EQ(read_matrix(path).data, (std::vector<double>{1, 4, 2, 5, 3, 6}));
}

TEST(MatrixFiles, WhatIsWrongWithAnArrayIsSaid) {
    TempFolder folder;
    const std::string good = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }\n";
    expect_refused(folder.path("missing.npy"), "missing.npy: no such file");
    expect_refused(folder.write("a.txt", "1 2"), ".npy and .mtx");
    expect_refused(folder.write("a.npy", "hello"), "byte 0");
    expect_refused(folder.write("b.npy", npy(good, bytes_of({1, 2, 3}))), "ends early");
    expect_refused(folder.write("c.npy", npy("{'descr': '<f8', 'fortran_order': Maybe, "
                                             "'shape': (1,), }\n",
                                             bytes_of({1}))),
                   "neither True nor False");
    expect_refused(folder.write("d.npy", npy("{'fortran_order': False, 'shape': (1,), }", "")),
                   "no 'descr'");
    expect_refused(folder.write("e.npy", npy("{'descr': '<f8', 'fortran_order': False, "
                                             "'shape': (1, 1, 1), }",
                                             bytes_of({1}))),
                   "array[0]");
    expect_refused(folder.write("j.npy", npy("{'descr': '<f8', 'fortran_order': False, "
                                             "'shape': (), }",
                                             bytes_of({1}))),
                   "a single number");
    expect_refused(folder.write("f.npy", npy("{'descr': '<f8', 'fortran_order': False, "
                                             "'shape': (0, 4), }",
                                             "")),
                   "empty");
    expect_refused(folder.write("g.npy", npy("{'descr': '<f8', 'fortran_order': False, "
                                             "'shape': (99999999999, 4), }",
                                             "")),
                   "too large");
    expect_refused(folder.write("h.npy", std::string("\x93NUMPY\x09\x00\x01\x00", 10)),
                   "version 9");
    expect_refused(folder.write("i.npy", std::string("\x93NUMPY\x01\x00\xff\xff", 10)),
                   "past the file's end");
}

TEST(MatrixFiles, RealNumbersOfAnyTypeAndByteOrderAreRead) {
    TempFolder folder;
    // 1 and 258, and what differs.
    auto expect_read = [&](const std::string& type, const std::string& data,
                           const std::vector<double>& values) {
        auto path = folder.write(
            "a.npy", npy("{'descr': '" + type + "', 'fortran_order': False, 'shape': (" +
                             std::to_string(values.size()) + ",), }",
                         data));
        EXPECT_EQ(read_matrix(path).data, values) << type;
    };
    using namespace std::string_literals;
    expect_read(">f8", "\x3f\xf0\0\0\0\0\0\0\xc0\0\0\0\0\0\0\0"s, {1, -2});
    expect_read(">f4", "\x3f\x80\0\0\xc0\0\0\0"s, {1, -2});
    expect_read("=f4", "\0\0\x80\x3f"s, {1});
    expect_read("<f2", "\0\x3c\0\xc0\x01\0\xff\x7b"s, {1, -2, 0x1p-24, 65504});
    expect_read(">f2", "\x3c\0"s, {1});
    expect_read("|i1", "\x01\xfe"s, {1, -2});
    expect_read("|u1", "\x01\xfe"s, {1, 254});
    expect_read("<i2", "\x02\x01\xfe\xff"s, {258, -2});
    expect_read(">u2", "\x01\x02\xff\xfe"s, {258, 65534});
    expect_read(">i4", "\xff\xff\xff\xfe"s, {-2});
    expect_read("<u4", "\xfe\xff\xff\xff"s, {4294967294});
    expect_read("<i8", "\xfe\xff\xff\xff\xff\xff\xff\xff"s, {-2});
    expect_read(">u8", "\x80\0\0\0\0\0\0\0"s, {0x1p63});
    expect_read("|b1", "\x01\0"s, {1, 0});
    auto floats = folder.write("b.npy", npy("{'descr': '>f4', 'fortran_order': False, 'shape': "
                                            "(1, 1, 1), }",
                                            "\x3f\x80\0\0"s));
    EXPECT_TRUE(read_batch(floats).single);
    EXPECT_EQ(read_batch(floats).data, std::vector<double>{1});
    // Versions 2 and 3, whose headers have four bytes of length.
    std::string dictionary = "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1)}\n";
    for (char version : {'\2', '\3'}) {
        std::string start =
            "\x93NUMPY"s + version + "\0"s + static_cast<char>(dictionary.size()) + "\0\0\0"s;
        EXPECT_EQ(read_matrix(folder.write("c.npy", start + dictionary + bytes_of({5}))).data,
                  std::vector<double>{5});
    }
}

TEST(MatrixFiles, OtherElementsAreRefusedWithAdvice) {
    TempFolder folder;
    auto refused = [&](const std::string& type, const std::string& data, const std::string& words) {
        expect_refused(folder.write("a.npy", npy("{'descr': " + type +
                                                     ", 'fortran_order': False, 'shape': (1, 2), }",
                                                 data)),
                       words);
    };
    refused("'<c16'", std::string(32, '\0'), std::string("a.npy: byte 10: ") + kTakers);
    refused("'<c32'", std::string(64, '\0'), "astype('complex128')");
    refused("'<c4'", std::string(8, '\0'), "astype('complex128')");
    refused("'<f16'", std::string(32, '\0'), "astype('float64')");
    refused("'|O'", "", "'|O' are not read: save the array as float64");
    refused("'<U3'", std::string(24, '\0'), "'<U3' are not read");
    refused("''", "", "are not read");
    refused("[('x', '<f8')]", std::string(16, '\0'), "array['x']");
    refused("'<i8'", std::string(8, '\0') + std::string("\1\0\0\0\0\0\x20\0", 8),
            "a.npy: element (0, 1), counted from 0, is 9007199254740993, which no double holds");
}

TEST(MatrixFiles, ElementsThatAreNotFiniteAreNamed) {
    TempFolder folder;
    const double inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
    auto write = [&](const char* name, const std::string& order, std::vector<double> values) {
        return folder.write(
            name, npy("{'descr': '<f8', 'fortran_order': " + order + ", 'shape': (2, 3), }",
                      bytes_of(values)));
    };
    auto by_rows = write("a.npy", "False", {1, 2, 3, 4, -inf, 6});
    expect_refused(by_rows, "a.npy: element (1, 1), counted from 0, is not finite but -inf");
    expect_refused(write("b.npy", "True", {1, 2, 3, 4, nan, 6}),
                   "b.npy: element (0, 2), counted from 0, is not finite but nan");
    auto large = read_matrix(write("c.npy", "False", {1, 2, 3, 4, 5, 1e300}));
    try {
        require_floats("c.npy", large);
        FAIL();
    } catch (const UserError& error) {
        EXPECT_NE(
            std::string(error.what()).find("c.npy: element (1, 2), counted from 0, is 1e+300"),
            std::string::npos)
            << error.what();
    }
    auto batch = folder.write("d.npy", npy("{'descr': '<f8', 'fortran_order': False, 'shape': "
                                           "(2, 1, 1), }",
                                           bytes_of({1, nan})));
    EXPECT_EQ(first_not_finite("d.npy", read_batch(batch)),
              "d.npy: matrix 1: element (0, 0), counted from 0, is not finite but nan");
}

TEST(MatrixFiles, TheCaseOfAnExtensionDoesNotMatter) {
    TempFolder folder;
    auto array = npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1), }", bytes_of({7}));
    const std::string market = "%%MatrixMarket matrix array real general\n1 1\n7\n";
    for (auto& path : {folder.write("a.NPY", array), folder.write("a.Npy", array),
                       folder.write("a.MTX", market)}) {
        EXPECT_TRUE(is_matrix_file(path));
        EXPECT_EQ(read_matrix(path).data, std::vector<double>{7}) << path;
        EXPECT_EQ(read_batch(path).data, std::vector<double>{7}) << path;
    }
    EXPECT_FALSE(is_matrix_file(folder.path("npy")));
}

TEST(MatrixFiles, EntriesOfOneElementAreSummed) {
    TempFolder folder;
    auto read = [&](const std::string& kind, const std::string& rest) {
        return read_matrix(
                   folder.write("m.mtx", "%%MatrixMarket matrix coordinate " + kind + "\n" + rest))
            .data;
    };
    EXPECT_EQ(read("real general", "2 2 4\n1 1 1.0\n1 1 2.0\n2 2 5\n2 2 -1\n"),
              (std::vector<double>{3, 0, 0, 4}));
    EXPECT_EQ(read("real symmetric", "2 2 3\n2 1 1\n2 1 2\n1 1 4\n"),
              (std::vector<double>{4, 3, 3, 0}));
    EXPECT_EQ(read("integer skew-symmetric", "2 2 2\n2 1 1\n2 1 2\n"),
              (std::vector<double>{0, 3, -3, 0}));
    EXPECT_EQ(read("pattern general", "2 2 2\n2 1\n2 1\n"), (std::vector<double>{0, 2, 0, 0}));
    EXPECT_EQ(read("pattern symmetric", "2 2 1\n2 1\n"), (std::vector<double>{0, 1, 1, 0}));
    // Either triangle may be listed.
    EXPECT_EQ(read("real symmetric", "2 2 1\n1 2 5\n"), (std::vector<double>{0, 5, 5, 0}));
    EXPECT_EQ(read("real skew-symmetric", "2 2 1\n1 2 5\n"), (std::vector<double>{0, -5, 5, 0}));
    EXPECT_EQ(read("real general", "2 2 1\n1 2 1.5D+1\n"), (std::vector<double>{0, 0, 15, 0}));
    EXPECT_EQ(read("real general", "1 1 1\n1 1 1e-999\n"), (std::vector<double>{0}));
}

TEST(MatrixFiles, MatrixMarketIsRead) {
    TempFolder folder;
    auto array = folder.write("a.mtx",
                              "%%MatrixMarket matrix array real general\n% a comment\n"
                              "2 3\n1\n2\n\n3.5\n-4e2\n5\n+6\n");
    EXPECT_EQ(read_matrix(array).data, (std::vector<double>{1, 2, 3.5, -400, 5, 6}));
    auto coordinate = folder.write("b.mtx",
                                   "%%MatrixMarket matrix coordinate real symmetric\n"
                                   "3 3 3\n1 1 2\n3 1 -1\n3 3 4\n");
    EXPECT_EQ(read_matrix(coordinate).data, (std::vector<double>{2, 0, -1, 0, 0, 0, -1, 0, 4}));
    auto pattern =
        folder.write("c.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n2 1\n");
    EXPECT_EQ(read_matrix(pattern).data, (std::vector<double>{0, 1, 0, 0}));
    auto skew =
        folder.write("d.mtx", "%%MatrixMarket matrix array integer skew-symmetric\n2 2\n7\n");
    EXPECT_EQ(read_matrix(skew).data, (std::vector<double>{0, 7, -7, 0}));
}

TEST(MatrixFiles, WhatIsWrongWithALineIsSaid) {
    TempFolder folder;
    const std::string array = "%%MatrixMarket matrix array real general\n";
    const std::string entries = "%%MatrixMarket matrix coordinate real general\n";
    auto refused = [&](const std::string& text, const std::string& words) {
        expect_refused(folder.write("m.mtx", text), words);
    };
    refused("1 2 3\n", ":1:");
    refused("%%MatrixMarket matrix array complex general\n1 1\n1 2\n",
            std::string("m.mtx:1: ") + kTakers);
    refused("%%MatrixMarket matrix array quaternion general\n1 1\n1\n", ":1: elements of kind");
    refused("%%MatrixMarket matrix array real hermitian\n1 1\n1\n",
            ":1: symmetry 'hermitian' is not read");
    refused(array + "2 2\n1\n2\n3\n", ":6: the file ends early");
    refused(array + "2 2\n1\nx\n3\n4\n", ":4: number expected, not 'x'");
    refused(array + "2 2\n1 2\n3\n4\n", ":3: there is more");
    refused(array + "2\n", ":2: the number of columns is missing");
    refused(entries + "2 2 1\n3 1 5\n", ":3: entry (3, 1) lies outside");
    refused(entries + "2 2 1\n1 1\n", ":3: the number is missing");
    refused(array + "0 2\n", "empty");
    refused(array + "1 1\nnan\n", ":3: element (0, 0), counted from 0, is not finite but nan");
    refused(array + "1 1\n1e999\n", ":3: element (0, 0), counted from 0, is not finite but inf");
    refused(array + "1 1\n1\n\n2\n", ":5: there are more entries");
    refused(entries + "1 1 2\n1 1 1e308\n1 1 1e308\n",
            ":4: element (0, 0), counted from 0, is not finite but a sum");
    const std::string symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";
    refused(symmetric + "2 2 2\n2 1 5\n1 2 5\n", ":4: entry (1, 2) is in the upper triangle");
    refused("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 5\n",
            ":3: entry (1, 1) is not zero");
    refused("%%MatrixMarket matrix coordinate pattern skew-symmetric\n2 2 1\n2 1\n", ":1:");
}

TEST(MatrixFiles, SmallFilesDoNotAskForLargeMatrices) {
    TempFolder folder;
    auto refused = [&](const std::string& text, const std::string& words) {
        expect_refused(folder.write("m.mtx", text), words);
    };
    const std::string entries = "%%MatrixMarket matrix coordinate real general\n";
    refused(entries + "50000 50000 0\n",
            ":2: a matrix of 50000x50000 takes 19073 MiB with its zeros");
    refused(entries + "3000 3000 0\n", "save it as .npy");
    refused(entries + "3 3 99999\n", ":2: the file is too short for 99999 entries");
    refused(entries + "3 3 -1\n", "negative");
    refused("%%MatrixMarket matrix array real general\n9999 9999\n1\n", "too short for 99980001");
    refused("%%MatrixMarket matrix array real symmetric\n9999 9999\n1\n", "too short");
    refused("%" + std::string(100'000, '-') + "\n", ":1: the line is longer than");
    EXPECT_EQ(read_matrix(folder.write("m.mtx", entries + "2000 2000 1\n1 1 1\n")).rows, 2000);
}

TEST(MatrixFiles, WhatMemoryCannotHoldIsRefusedInItsOwnWords) {
    TempFolder folder;
    constexpr std::int64_t kSide = 1 << 20;
    auto path = folder.write("huge.npy", npy("{'descr': '<f8', 'fortran_order': False, "
                                             "'shape': (1048576, 1048576), }",
                                             ""));
    expect_refused(path, "ends early");
    ASSERT_EQ(truncate(path.c_str(), kSide * kSide * 8 + 4096), 0);
    expect_refused(path, "huge.npy: a matrix of 1048576x1048576 needs about");
}

TEST(MatrixFiles, OnlyRegularFilesAreRead) {
    TempFolder folder;
    for (const char* name : {"pipe.mtx", "pipe.npy"}) {
        ASSERT_EQ(mkfifo(folder.path(name).c_str(), 0600), 0);
        expect_refused(folder.path(name), "a pipe");
    }
    std::filesystem::create_symlink("/dev/zero", folder.path("zero.mtx"));
    expect_refused(folder.path("zero.mtx"), "a device");
}

}  // namespace tl::matrix_files_tests
