// Records whose words are stored apart on a GPU (structure of arrays) are read back unchanged.
#include <numeric>

#include "core/device/parallel_for.h"
#include "core/device/records.h"
#include "tests/device_test.h"

namespace tl::TL_DEVICE_NAME {
namespace {

struct alignas(16) Numbers {
    std::uint32_t first[4];
    std::uint32_t second[4] = {7, 7, 7, 7};
    std::uint32_t third[4] = {8, 8, 8, 8};

    TL_HD static Numbers of(std::uint32_t i) {
        Numbers numbers;
        for (std::uint32_t k = 0; k < 4; ++k) {
            numbers.first[k] = i * 12 + k;
            numbers.second[k] = i * 12 + 4 + k;
            numbers.third[k] = i * 12 + 8 + k;
        }
        return numbers;
    }
};

}  // namespace
}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(Records, AreLoadedAsTheyWereStored) {
    for (std::uint32_t n : {1u, 33u, 1000u}) {
        Scratch::Scope scope(scratch);
        Records<Numbers> records = take_records<Numbers>(scratch, n);
        Records<const Numbers> stored = records;
        DeviceArray<Numbers> plain(stream, n), back(stream, n);
        Records<Numbers> one_by_one(plain.view()), to(back.view());
        parallel_for(
            stream, "store", n, TL_LAMBDA(std::uint32_t i) {
                records.store(i, Numbers::of(i));
                one_by_one.store(i, Numbers::of(i));
            });
        parallel_for(
            stream, "load", n, TL_LAMBDA(std::uint32_t i) { to.store(i, stored.load(i)); });
        std::vector<Numbers> expected = plain.download(stream), found = back.download(stream);
        for (std::uint32_t i = 0; i < n; ++i)
            for (std::uint32_t k = 0; k < 4; ++k) {
                ASSERT_EQ(expected[i].first[k], i * 12 + k);
                ASSERT_EQ(found[i].first[k], i * 12 + k);
                ASSERT_EQ(found[i].second[k], i * 12 + 4 + k);
                ASSERT_EQ(found[i].third[k], i * 12 + 8 + k);
            }
    }
}

TL_DEVICE_TEST(Records, HaveDefaultsWhereNoWordsAreLoaded) {
    constexpr std::uint32_t kRecords = 100;
    Records<Numbers> records = take_records<Numbers>(scratch, kRecords);
    DeviceArray<Numbers> back(stream, kRecords);
    Records<Numbers> to(back.view());
    parallel_for(
        stream, "store and load", kRecords, TL_LAMBDA(std::uint32_t i) {
            records.store<2>(i, Numbers::of(i));
            Numbers found = records.load<2>(i);
            found.third[0] += 1;
            to.store(i, found);
        });
    auto found = back.download(stream);
    for (std::uint32_t i = 0; i < kRecords; ++i) {
        EXPECT_EQ(found[i].second[3], i * 12 + 7);
#if defined(__CUDACC__)
        EXPECT_EQ(found[i].third[0], 9u);
#else
        EXPECT_EQ(found[i].third[0], i * 12 + 9);  // the CPU has whole records
#endif
    }
}
