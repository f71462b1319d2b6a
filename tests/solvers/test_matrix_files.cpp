// Matrix files: written matrices are read back unchanged, and errors in files are reported.
#include "solvers/dense/matrix_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/temp_folder.h"

namespace tl::test {
namespace {

void expect_refused(const std::string& path, const std::string& words) {
    try {
        (void)read_matrix(path);
        FAIL() << path;
    } catch (const UserError& error) {
        EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
}

/// A .npy file of version 1 with this dictionary.
std::string npy(const std::string& dictionary, const std::string& data) {
    std::string text("\x93NUMPY\x01\x00", 8);
    text += static_cast<char>(dictionary.size());
    text += '\0';
    return text + dictionary + data;
}

std::string bytes_of(const std::vector<double>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double)};
}

}  // namespace

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
    expect_refused(folder.write("c.npy", npy("{'descr': '<i4', 'fortran_order': False, "
                                             "'shape': (1,), }\n",
                                             "abcd")),
                   "'<i4'");
    expect_refused(folder.write("d.npy", npy("{'fortran_order': False, 'shape': (1,), }", "")),
                   "no 'descr'");
    expect_refused(folder.write("e.npy", npy("{'descr': '<f8', 'fortran_order': False, "
                                             "'shape': (1, 1, 1), }",
                                             bytes_of({1}))),
                   "3 dimensions");
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
    refused("%%MatrixMarket matrix array complex general\n1 1\n1 2\n", "complex");
    refused("%%MatrixMarket matrix array real hermitian\n1 1\n1\n", "hermitian");
    refused(array + "2 2\n1\n2\n3\n", ":6: the file ends early");
    refused(array + "2 2\n1\nx\n3\n4\n", ":4: number expected, not 'x'");
    refused(array + "2 2\n1 2\n3\n4\n", ":3: there is more");
    refused(array + "2\n", ":2: the number of columns is missing");
    refused(entries + "2 2 1\n3 1 5\n", ":3: entry (3, 1) lies outside");
    refused(entries + "2 2 1\n1 1\n", ":3: the number is missing");
    refused(array + "0 2\n", "empty");
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

}  // namespace tl::test
