#include "renderer/scene/loaders/loader.h"
#include "tests/unit/temp_folder.h"

namespace tl::warnings_tests {
namespace {

using test::TempFolder;

TEST(Warnings, OfAKindAreTwentyLinesAndACount) {
    Warnings warnings;
    for (int i = 0; i < 50'000; ++i) {
        std::string name = std::to_string(i);
        warnings.push_back("a" + name + ".obj:" + name + ": material 'm" + name + "' is unknown");
    }
    warnings.push_back("a.obj: another kind");
    ASSERT_EQ(warnings.size(), 22u);
    EXPECT_EQ(warnings[0], "a0.obj:0: material 'm0' is unknown");
    EXPECT_EQ(warnings[19], "a19.obj:19: material 'm19' is unknown");
    EXPECT_EQ(warnings[20], "and 49,980 more such as this: a0.obj:0: material 'm0' is unknown");
    EXPECT_EQ(warnings[21], "a.obj: another kind");
}

TEST(Warnings, AreNotRepeatedNorOfAnyLength) {
    Warnings warnings;
    for (int i = 0; i < 100; ++i) warnings.push_back("a.obj: the same");
    EXPECT_EQ(warnings.lines(), std::vector<std::string>{"a.obj: the same"});
    for (int i = 0; i < 100; ++i) warnings.push_back("b.obj: line " + std::to_string(i % 30));
    EXPECT_EQ(warnings[21], "and 10 more such as this: b.obj: line 0");
    std::string accents;
    while (accents.size() < 5000) accents += "\xC3\xA9";
    warnings.push_back(accents);
    auto& line = warnings[warnings.size() - 1];
    EXPECT_LE(line.size(), Warnings::kLongestLine);
    EXPECT_TRUE(line.ends_with("\xA9..."));
    warnings.push_back("a.mtl: texture '\x1B[31m\x7F\xC3\xA9' not found");
    EXPECT_EQ(warnings[warnings.size() - 1], "a.mtl: texture ' [31m \xC3\xA9' not found");
}

TEST(Warnings, OfManyUnknownMaterialsAreFew) {
    TempFolder folder;
    constexpr int kMaterials = 50'000;
    std::string text = "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\n";
    for (int i = 0; i < kMaterials; ++i) text += "usemtl m" + std::to_string(i) + "\nf 1 2 3\n";
    folder.write("a.mtl", "newmtl other\n");
    Scene scene = load_scene(folder.write("a.obj", text));
    EXPECT_EQ(scene.triangle_count(), std::size_t{kMaterials});
    ASSERT_EQ(scene.warnings.size(), Warnings::kMostOfAKind + 1);
    TL_EXPECT_CONTAINS(scene.warnings[20], "and 49,980 more such as this: ");
    TL_EXPECT_CONTAINS(scene.warnings[20], "material 'm0' is in no material library");
}

}  // namespace
}  // namespace tl::warnings_tests
