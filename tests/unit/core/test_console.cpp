// Escaping of texts from files before a terminal shows them.
#include "core/base/console.h"

#include <gtest/gtest.h>

namespace tl::console_tests {
namespace {

TEST(Console, ShowsControlCharactersInsteadOfObeyingThem) {
    EXPECT_EQ(printable("a\x1b[31mred\x07"), "a\\x1b[31mred\\x07");
    EXPECT_EQ(printable(std::string("a\0b", 3)), "a\\x00b");
    EXPECT_EQ(printable("a\x7f"), "a\\x7f");
    EXPECT_EQ(printable("a\xc2\x9b"
                        "31m"),
              "a\\xc2\\x9b31m");  // the C1 form of ESC [
}

TEST(Console, KeepsTextOfAnyLanguage) {
    for (const char* text : {"Kaffeekännchen", "茶壺", "🫖", "\xc2\xa0", "\xf4\x8f\xbf\xbf"})
        EXPECT_EQ(printable(text), text);
}

TEST(Console, ShowsBytesThatAreNoCharacters) {
    EXPECT_EQ(printable("\xff"), "\\xff");
    EXPECT_EQ(printable("\x80z"), "\\x80z");
    EXPECT_EQ(printable("\xc3"), "\\xc3");                             // cut off
    EXPECT_EQ(printable("\xc3z"), "\\xc3z");                           // without its second byte
    EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");                    // an overlong "/"
    EXPECT_EQ(printable("\xe0\x80\xaf"), "\\xe0\\x80\\xaf");           // likewise
    EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // a surrogate
    EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond U+10FFFF
}

TEST(Console, MakesOneLineOfSeveral) {
    EXPECT_EQ(printable("one\n  two\r\nthree"), "one two three");
    EXPECT_EQ(printable("one \t two"), "one   two");
    EXPECT_EQ(printable("one\n\ttwo\n", true), "one\n two\n");
}

TEST(Console, ShortensTextThatWouldFillTheTerminal) {
    std::string text = "start" + std::string(100'000, 'x') + "end";
    auto shown = printable(text);
    EXPECT_LT(shown.size(), 2100u);
    EXPECT_TRUE(shown.starts_with("startxx"));
    EXPECT_NE(shown.find("x ... x"), std::string::npos);
    EXPECT_TRUE(shown.ends_with("xxend"));
    EXPECT_EQ(printable(text, true), text);
    // No character is cut into pieces, which would be shown as bytes.
    std::string umlauts = "a";
    for (int i = 0; i < 5000; ++i) umlauts += "ä";
    EXPECT_FALSE(printable(printable(umlauts)).find("\\x") != std::string::npos);
}

TEST(Console, ErrorsAndWarningsAreOneLine) {
    testing::internal::CaptureStderr();
    print_error("bad\nfile\n");
    print_warnings({"odd\x1b", "b"});
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "treelight: bad file\ntreelight: warning: odd\\x1b\ntreelight: warning: b\n");
}

}  // namespace
}  // namespace tl::console_tests
