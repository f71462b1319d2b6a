// Feeds damaged and forged files to a reader of files: `fuzz_readers --help` lists the options.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "tests/fuzz/supervisor.h"
#include "tests/sanitized.h"

namespace tl::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr const char* kUsage =
    "usage: fuzz_readers READER [--seconds S] [--seed N] [--keep FOLDER] [FILE...]\n"
    "Reads changed copies of small files for S seconds (default: $TREELIGHT_FUZZ_SECONDS, else 3,\n"
    "or 10 with sanitizers), or these FILEs, and fails if one of them crashes the reader, leaks,\n"
    "takes too much time or memory, or gets an answer that is no UserError of one printable line.\n"
    "Each such file is kept in FOLDER (fuzz-findings) with a report beside it.\n";

struct Options {
    std::string reader, keep = "fuzz-findings";
    double seconds = test::kSanitized ? 10 : 3;
    std::uint64_t seed = 1;
    std::vector<std::string> files;
};

template <class Number>
Number number_of(const std::string& name, const std::string& text) {
    auto value = number_in<Number>(text);
    if (!value || *value < 0) throw UsageError(name + ": '" + text + "' is no number from 0");
    return *value;
}

Options options_of(const std::vector<std::string>& words) {
    Options o;
    if (auto* seconds = std::getenv("TREELIGHT_FUZZ_SECONDS"))
        o.seconds = number_of<double>("TREELIGHT_FUZZ_SECONDS", seconds);
    for (std::size_t k = 0; k < words.size(); ++k) {
        auto value = [&] {
            if (k + 1 == words.size()) throw UsageError(words[k] + " needs a value");
            return words[++k];
        };
        if (words[k] == "--seconds")
            o.seconds = number_of<double>("--seconds", value());
        else if (words[k] == "--seed")
            o.seed = number_of<std::uint64_t>("--seed", value());
        else if (words[k] == "--keep")
            o.keep = value();
        else if (words[k].starts_with("--"))
            throw UsageError("unknown flag " + words[k]);
        else if (o.reader.empty())
            o.reader = words[k];
        else
            o.files.push_back(words[k]);
    }
    return o;
}

/// Text on one line, with bytes that are not printable ASCII as numbers.
std::string shown(std::string_view text) {
    std::string line;
    for (char c : text.substr(0, 300)) {
        char number[8];
        std::snprintf(number, sizeof number, "\\x%02x", static_cast<unsigned char>(c));
        line += c >= ' ' && c <= '~' ? std::string(1, c) : number;
    }
    return line;
}

/// Writes a finding's input and its report; returns the path of the input.
std::string keep(const Options& o, const Finding& finding) {
    fs::create_directories(o.keep);
    std::string name = o.reader + "-" + std::to_string(o.seed) + "-" +
                       std::to_string(finding.number) + finding.input.ending;
    std::string path = (fs::path(o.keep) / name).string();
    write_file(path, finding.input.bytes);
    write_file(path + ".txt", shown(finding.what) + "\n" + finding.report);
    return path;
}

int report(const Options& o, const Tally& tally) {
    std::printf(
        "%s: %llu inputs with seed %llu: %llu accepted, %llu refused, %llu left out\n",
        o.reader.c_str(), static_cast<unsigned long long>(tally.n_accepted + tally.n_refused),
        static_cast<unsigned long long>(o.seed), static_cast<unsigned long long>(tally.n_accepted),
        static_cast<unsigned long long>(tally.n_refused),
        static_cast<unsigned long long>(tally.n_left_out));
    std::printf("  slowest: %.1f ms (input %llu); most memory: %.3f MB (input %llu)\n",
                1e3 * tally.seconds.amount, static_cast<unsigned long long>(tally.seconds.number),
                1e-6 * tally.bytes.amount, static_cast<unsigned long long>(tally.bytes.number));
    for (auto& finding : tally.findings) {
        std::string path = keep(o, finding);
        std::printf("  FOUND in %llu inputs: %s\n    kept as %s\n",
                    static_cast<unsigned long long>(finding.count), shown(finding.what).c_str(),
                    path.c_str());
    }
    return tally.findings.empty() ? 0 : 1;
}

int run(const Options& o) {
    auto& reader = find_reader(o.reader);
    if (!o.files.empty()) {
        std::vector<Input> files;
        for (fs::path path : o.files) files.push_back({path.extension().string(), read_file(path)});
        auto file = [&](std::uint64_t number) {
            return number < files.size() ? std::optional(files[static_cast<std::size_t>(number)])
                                         : std::nullopt;
        };
        return report(o, watch_reader(reader, file, 1e9, 0));
    }
    std::vector<Input> seeds = seeds_of(reader);
    std::size_t n_valid = seeds.size();
    std::ranges::move(found_of(reader), std::back_inserter(seeds));
    Mutator mutator(std::move(seeds), o.seed);
    auto input = [&](std::uint64_t number) { return std::optional(mutator.input(number)); };
    return report(o, watch_reader(reader, input, o.seconds, n_valid));
}

}  // namespace
}  // namespace tl::fuzz

/// Settings of sanitizers. A program whose time is over reports its position; requests for more
/// memory than there is are errors that the program handles.
extern "C" const char* __asan_default_options() {  // NOLINT(bugprone-reserved-identifier)
    return "handle_abort=1:allocator_may_return_null=1:quarantine_size_mb=16";
}
extern "C" const char* __ubsan_default_options() {  // NOLINT(bugprone-reserved-identifier)
    return "print_stacktrace=1";
}

int main(int argc, char** argv) {
    std::vector<std::string> words(argv + 1, argv + argc);
    if (words.empty() || words[0] == "--help") {
        std::fputs(tl::fuzz::kUsage, stdout);
        return words.empty() ? 2 : 0;
    }
    try {
        // Files in memory: there are some ten thousand a second.
        if (std::filesystem::is_directory("/dev/shm")) setenv("TMPDIR", "/dev/shm", 0);
        return tl::fuzz::run(tl::fuzz::options_of(words));
    } catch (const tl::UsageError& error) {
        std::fprintf(stderr, "fuzz_readers: %s\n", error.what());
        return 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "fuzz_readers: %s\n", tl::message_of(error).c_str());
        return 1;
    }
}
