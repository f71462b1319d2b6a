// Scene files that are nested too deeply are refused before the recursive parser sees them.
#include "renderer/scene/toml/toml_limits.h"

#include "renderer/scene/loaders/loader.h"
#include "tests/unit/temp_folder.h"

namespace tl::toml_limits_tests {
namespace {

using test::refusal;

std::string repeated(std::string_view text, int count) {
    std::string all;
    for (int i = 0; i < count; ++i) all += text;
    return all;
}

std::string fault_of(const std::string& text) {
    return refusal([&] { check_toml_limits(text, "a.toml"); });
}

}  // namespace

TEST(TomlLimits, DeepFilesAreRefusedByTheirLine) {
    test::TempFolder folder;
    constexpr int kDeep = 31'000;
    for (const std::string& text :
         {"\n" + repeated("a.", kDeep) + "b = 1\n", "\nx = " + repeated("[", kDeep) + "\n",
          "\nx = " + repeated("{a = ", kDeep) + "\n", "\n[" + repeated("a.", kDeep) + "b]\n",
          "\n" + repeated("\"a\".", kDeep) + "b = 1\n"}) {
        std::string message = refusal([&] { (void)load_scene(folder.write("deep.toml", text)); });
        TL_EXPECT_CONTAINS(message, "deep.toml:2: ");
        TL_EXPECT_CONTAINS(message, "more than 32 levels");
    }
}

TEST(TomlLimits, TheDeepestThatIsAllowedIsRead) {
    for (auto [open, close] : {std::pair{"[", "]"}, {"{a = ", "}"}}) {
        EXPECT_EQ(fault_of("x = " + repeated(open, 32) + repeated(close, 32)), "");
        EXPECT_NE(fault_of("x = " + repeated(open, 33) + repeated(close, 33)), "");
    }
    EXPECT_EQ(fault_of(repeated("a.", 31) + "a = 1\n"), "");
    EXPECT_NE(fault_of(repeated("a.", 32) + "a = 1\n"), "");
    EXPECT_EQ(fault_of("x = [" + repeated("[1.5, 2.5], ", 100) + "]\n"), "");
}

TEST(TomlLimits, StringsAndCommentsDoNotCount) {
    std::string deep = repeated("[", 40) + repeated(".", 40);
    EXPECT_EQ(fault_of("# " + deep + " \" \n"), "");
    EXPECT_EQ(fault_of("x = '" + deep + "'\n"), "");
    EXPECT_EQ(fault_of("x = \"" + deep + "\\\"" + deep + "\"\n"), "");
    EXPECT_EQ(fault_of("x = \"\"\"\n" + deep + "\n\"" + deep + "\\\"\"\"" + deep + "\"\"\"\"\"\n"),
              "");
    EXPECT_EQ(fault_of("x = '''\n" + deep + "\\'" + deep + "'''\n"), "");
    // Nesting after a string counts again, also where the string does not end on its line.
    EXPECT_NE(fault_of("x = \"\" " + deep), "");
    EXPECT_NE(fault_of("x = 'a\n" + deep), "");
    EXPECT_NE(fault_of("x = \"\"\"a\\\\\"\"\"" + deep), "");
    TL_EXPECT_CONTAINS(fault_of("x = \"\"\"\n\\\n\"\"\"\n" + deep), "a.toml:4: ");
}

}  // namespace tl::toml_limits_tests
