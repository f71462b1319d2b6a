// Parsing of the command line, by the example of a small program.
#include "app/usage.h"

#include <gtest/gtest.h>

#include "app/commands/flag_groups.h"
#include "app/commands/value_option.h"
#include "app/help.h"
#include "tests/unit/temp_folder.h"

namespace tl::usage_tests {
namespace {

struct SmallProgram {
    CLI::App program{"A program", "tool"};
    int count = 5;
    std::uint64_t seed = 0;
    std::vector<float> place;
    std::string file;
    double least = 0, share = 0;
    bool fast = false;

    SmallProgram() {
        set_help_style(program);
        auto* command = program.add_subcommand("cut", "Cuts a file");
        command->add_option("file,--file", file, "what to cut")->required();
        add_value(*command, "--count", count, "N", "pieces")->check(CLI::Range(1, 20));
        add_value(*command, "--seed", seed, "K", "seed (any)")->group("Settings of tool");
        command->add_option("--least", least, "least")->check(CLI::NonNegativeNumber);
        command->add_option("--share", share, "share")->check(CLI::Range(0.0, 0.5));
        command->add_option("--place", place, "where")->expected(3)->type_name("X,Y,Z");
        command->add_flag("--fast", fast, "sooner");
        auto* glue = program.add_subcommand("glue", "Glues");
        glue->add_subcommand("hot", "Hot glue");
        name_command_groups(program);
    }
    /// Error message for the arguments; "" if they are valid.
    std::string fault(const std::vector<std::string>& arguments) {
        try {
            check_commands(program, arguments);
            program.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
        } catch (const UsageError& error) {
            return error.what();
        } catch (const CLI::ParseError& error) {
            return fault_in_words(program, error);
        }
        return "";
    }
};

TEST(Usage, TellsWhatIsWrongAndWhatThereIs) {
    SmallProgram small;
    EXPECT_EQ(small.fault({"cut", "a.txt", "--count", "3"}), "");
    EXPECT_EQ(small.fault({}), "'tool' needs a command; known: cut, glue");
    EXPECT_EQ(small.fault({"cu"}),
              "unknown command 'cu' of 'tool'; known: cut, glue; did you mean 'cut'?");
    EXPECT_EQ(small.fault({"paint"}), "unknown command 'paint' of 'tool'; known: cut, glue");
    EXPECT_EQ(small.fault({"glue"}), "'tool glue' needs a command; known: hot");
    EXPECT_EQ(small.fault({"glue", "hott"}),
              "unknown command 'hott' of 'tool glue'; known: hot; did you mean 'hot'?");
    EXPECT_EQ(small.fault({"cut"}), "'cut' needs file: what to cut");
    EXPECT_EQ(small.fault({"cut", "a", "b"}), "unexpected argument 'b' of 'cut'");
    EXPECT_EQ(small.fault({"cut", "a", "--cuont=3"}),
              "unknown flag --cuont of 'cut'; did you mean '--count'?");
    EXPECT_EQ(small.fault({"cut", "a", "--count"}), "--count needs a value: N");
    EXPECT_EQ(small.fault({"cut", "a", "--place", "1", "2"}), "--place needs 3 values: X,Y,Z");
    EXPECT_EQ(small.fault({"cut", "a", "--count", "1", "--count", "2"}),
              "--count is given more than once");
    EXPECT_EQ(small.fault({"cut", "a", "--count", "21"}), "--count: 21 is no number from 1 to 20");
    EXPECT_EQ(small.fault({"cut", "a", "--share", "0.75"}),
              "--share: 0.75 is no number from 0 to 0.5");
    EXPECT_EQ(small.fault({"cut", "a", "--least", "-1"}), "--least: -1 is no number from 0 on");
    EXPECT_EQ(small.fault({"cut", "a", "--seed", "-1"}), "--seed: -1 is no whole number from 0");
    EXPECT_EQ(small.fault({"cut", "a", "--seed", "x"}), "--seed: 'x' is no number that it takes");
    EXPECT_EQ(small.fault({"cut", "a", "--fast=perhaps"}),
              "--fast: 'perhaps' is neither true nor false");
}

TEST(Usage, HelpHasRangesAndDefaultsInWords) {
    SmallProgram small;
    auto help = small.program.get_subcommand("cut")->help();
    TL_EXPECT_CONTAINS(help, "--count N");
    TL_EXPECT_CONTAINS(help, "  pieces (1 to 20; default 5)\n");
    EXPECT_EQ(help.find("--seed"), std::string::npos);
    TL_EXPECT_CONTAINS(help, "`tool cut --help-all` also lists 1 setting, --NAME-*, of tool\n");
    TL_EXPECT_CONTAINS(help, "what to cut (needed)\n");
    TL_EXPECT_CONTAINS(help, "\nArguments:\n");
    TL_EXPECT_CONTAINS(help, "\nFlags:\n");
    TL_EXPECT_CONTAINS(small.program.help(), "\nCommands:\n");
    auto& cut = *small.program.get_subcommand("cut");
    auto all = cut.help("", CLI::AppFormatMode::All);
    TL_EXPECT_CONTAINS(all, "seed (any; default 0)\n");
    TL_EXPECT_CONTAINS(all, "the same as the argument file\n");
    for (const char* jargon : {"SUBCOMMAND", "OPTIONS", "REQUIRED", "INT in", "TEXT", "Options"})
        EXPECT_EQ(help.find(jargon), std::string::npos) << jargon;
}

}  // namespace
}  // namespace tl::usage_tests
