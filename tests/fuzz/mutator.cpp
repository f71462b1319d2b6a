#include "tests/fuzz/mutator.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "tests/fuzz/format_words.h"
#include "tests/fuzz/repair.h"

namespace tl::fuzz {
namespace {

/// Numbers at the limits of integers and floats, and spellings that are almost numbers.
constexpr std::string_view kNumbers[] = {"0",
                                         "-0",
                                         "1",
                                         "-1",
                                         "2",
                                         "3",
                                         "255",
                                         "256",
                                         "65535",
                                         "65536",
                                         "16777217",
                                         "1000000000",
                                         "2147483647",
                                         "2147483648",
                                         "-2147483648",
                                         "4294967295",
                                         "4294967296",
                                         "9223372036854775807",
                                         "-9223372036854775808",
                                         "18446744073709551615",
                                         "18446744073709551616",
                                         "0.5",
                                         "1e-320",
                                         "-1e-30",
                                         "1e15",
                                         "-1e15",
                                         "3.4e38",
                                         "1e39",
                                         "-1e308",
                                         "1e999",
                                         "nan",
                                         "-nan",
                                         "inf",
                                         "-inf",
                                         "0x7fffffff",
                                         "1e",
                                         "-",
                                         ".",
                                         "1.2.3",
                                         "00000000000000000000000000000000000001",
                                         ""};
constexpr std::uint64_t kIntegers[] = {0,
                                       1,
                                       2,
                                       4,
                                       0x7f,
                                       0x80,
                                       0xff,
                                       0x100,
                                       0x7fff,
                                       0x8000,
                                       0xffff,
                                       0x10000,
                                       0xffffff,
                                       0x7fffffff,
                                       0x80000000,
                                       0xffffffff,
                                       0x100000000,
                                       0x7f800000,  // infinity as a float
                                       0x7fc00000,  // NaN
                                       0x7fffffffffffffff,
                                       0xffffffffffffffff};
constexpr std::size_t kLongestChunk = 64;

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_in_word(char c) {
    return is_letter(c) || is_digit(c) || c == '-';
}
bool is_in_number(char c) {
    return is_digit(c) || c == '.' || c == 'e' || c == 'E' || c == '-' || c == '+';
}

struct Range {
    std::size_t begin = 0, size = 0;
};

Range chunk_of(std::string_view bytes, Random& random, std::size_t longest = kLongestChunk) {
    std::size_t begin = random.below(bytes.size());
    return {begin, std::min(1 + random.below(longest), bytes.size() - begin)};
}

/// Random choice among the longest runs that begin where `starts` holds and continue while
/// `belongs` does.
template <class Starts, class Belongs>
Range random_run(std::string_view bytes, Random& random, Starts starts, Belongs belongs) {
    std::vector<Range> runs;
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        if (!starts(bytes[at])) continue;
        std::size_t begin = at;
        while (at < bytes.size() && belongs(bytes[at])) ++at;
        runs.push_back({begin, at - begin});
    }
    return runs.empty() ? Range{} : random.one_of(runs);
}

Range random_word(std::string_view bytes, Random& random) {
    return random_run(bytes, random, is_letter, is_in_word);
}

void collect_words(std::string_view bytes, std::set<std::string>& words) {
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        if (!is_letter(bytes[at])) continue;
        std::size_t begin = at;
        while (at < bytes.size() && is_in_word(bytes[at])) ++at;
        words.emplace(bytes.substr(begin, at - begin));
    }
}

/// Line around a random byte, with its end.
Range random_line(std::string_view bytes, Random& random) {
    std::size_t at = random.below(bytes.size());
    std::size_t before = at == 0 ? std::string_view::npos : bytes.rfind('\n', at - 1);
    std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
    std::size_t end = std::min(bytes.find('\n', at), bytes.size() - 1) + 1;
    return {begin, end - begin};
}

}  // namespace

Mutator::Mutator(std::vector<Input> seeds, std::uint64_t random_seed)
    : seeds_(std::move(seeds)), random_seed_(random_seed) {
    std::set<std::string> words;
    for (auto& seed : seeds_) {
        collect_words(seed.bytes, words);
        for (auto word : words_of_format(seed.ending)) words.emplace(word);
    }
    words_.assign(words.begin(), words.end());
}

Input Mutator::input(std::uint64_t number) const {
    if (number < seeds_.size()) return seeds_[static_cast<std::size_t>(number)];
    // Two rounds of the generator keep the streams of neighbouring numbers apart.
    Random random(Random(random_seed_).next() ^ Random(number).next());
    constexpr Change kChanges[] = {&Mutator::flip_bits,      &Mutator::set_byte,
                                   &Mutator::set_integer,    &Mutator::replace_number,
                                   &Mutator::replace_number, &Mutator::replace_word,
                                   &Mutator::insert_word,    &Mutator::copy_chunk,
                                   &Mutator::delete_chunk,   &Mutator::overwrite_chunk,
                                   &Mutator::repeat_chunk,   &Mutator::splice_chunk,
                                   &Mutator::move_line,      &Mutator::truncate,
                                   &Mutator::cross,          &Mutator::nest,
                                   &Mutator::lengthen_number};
    Input input = random.one_of(seeds_);
    // Half of the inputs have one change: more of them get past a reader's first check.
    int n_changes = 1;
    while (n_changes < 8 && random.below(2) == 0) ++n_changes;
    for (int k = 0; k < n_changes && !input.bytes.empty(); ++k) {
        (this->*random.one_of(kChanges))(input.bytes, random);
        if (input.bytes.size() > kMostBytes) input.bytes.resize(kMostBytes);
    }
    if (random.below(4) != 0) repair(input.bytes);
    return input;
}

void Mutator::flip_bits(std::string& bytes, Random& random) const {
    for (std::size_t k = 1 + random.below(4); k > 0; --k)
        bytes[random.below(bytes.size())] ^= static_cast<char>(1 << random.below(8));
}

void Mutator::set_byte(std::string& bytes, Random& random) const {
    bytes[random.below(bytes.size())] = static_cast<char>(random.below(256));
}

void Mutator::set_integer(std::string& bytes, Random& random) const {
    std::size_t size = std::size_t{1} << random.below(4);
    if (size > bytes.size()) return;
    std::size_t at = random.below(bytes.size() - size + 1);
    std::uint64_t value = random.one_of(kIntegers);
    bool is_big_endian = random.below(2) == 0;
    for (std::size_t k = 0; k < size; ++k)
        bytes[at + (is_big_endian ? size - 1 - k : k)] = static_cast<char>(value >> (8 * k));
}

void Mutator::replace_number(std::string& bytes, Random& random) const {
    Range number = random_run(
        bytes, random, [](char c) { return is_digit(c) || c == '-'; }, is_in_number);
    bytes.replace(number.begin, number.size, random.one_of(kNumbers));
}

void Mutator::replace_word(std::string& bytes, Random& random) const {
    if (words_.empty()) return;
    Range word = random_word(bytes, random);
    bytes.replace(word.begin, word.size, random.one_of(words_));
}

void Mutator::insert_word(std::string& bytes, Random& random) const {
    if (words_.empty()) return;
    constexpr std::string_view kBetween[] = {" ", "\n", "", "=", "\"", "{", "[", "]", "}", "/"};
    std::string text(random.one_of(kBetween));
    text += random.one_of(words_);
    text += random.one_of(kBetween);
    bytes.insert(random.below(bytes.size() + 1), text);
}

void Mutator::copy_chunk(std::string& bytes, Random& random) const {
    Range chunk = chunk_of(bytes, random);
    std::string copy = bytes.substr(chunk.begin, chunk.size);
    bytes.insert(random.below(bytes.size() + 1), copy);
}

void Mutator::overwrite_chunk(std::string& bytes, Random& random) const {
    Range chunk = chunk_of(bytes, random);
    std::string copy = bytes.substr(chunk.begin, chunk.size);
    bytes.replace(random.below(bytes.size()), chunk.size, copy);
}

void Mutator::delete_chunk(std::string& bytes, Random& random) const {
    Range chunk = chunk_of(bytes, random);
    bytes.erase(chunk.begin, chunk.size);
}

void Mutator::repeat_chunk(std::string& bytes, Random& random) const {
    Range chunk = chunk_of(bytes, random, random.below(2) == 0 ? 4 : kLongestChunk);
    std::string copy = bytes.substr(chunk.begin, chunk.size), copies;
    std::size_t count = std::size_t{1} << random.below(13);
    while (count-- > 0 && copies.size() < kMostBytes) copies += copy;
    bytes.insert(chunk.begin, copies);
}

void Mutator::splice_chunk(std::string& bytes, Random& random) const {
    auto& other = random.one_of(seeds_).bytes;
    Range chunk = chunk_of(other, random);
    std::size_t at = random.below(bytes.size() + 1);
    bytes.replace(at, random.below(2) == 0 ? 0 : chunk.size, other, chunk.begin, chunk.size);
}

/// Joins the front of the input and the back of a seed.
void Mutator::cross(std::string& bytes, Random& random) const {
    auto& other = random.one_of(seeds_).bytes;
    if (other.empty()) return;
    // Cuts both mostly at the same relative offset, so that headers precede bodies.
    std::size_t at = random.below(bytes.size());
    std::size_t from =
        random.below(2) == 0 ? at * other.size() / bytes.size() : random.below(other.size());
    bytes.replace(at, std::string::npos, other, from);
}

/// Puts a part into up to thousands of brackets, some of which may lack their ends.
void Mutator::nest(std::string& bytes, Random& random) const {
    struct Brackets {
        std::string_view open, close;
    };
    constexpr Brackets kBrackets[] = {{"[", "]"},       {"{", "}"},           {"(", ")"},
                                      {"{\"a\":", "}"}, {"[{\"a\":", "}]"},   {"\"", "\""},
                                      {"/*", "*/"},     {"a = [{ ", " }]\n"}, {"\\\n", ""}};
    auto& brackets = random.one_of(kBrackets);
    Range chunk = chunk_of(bytes, random);
    std::size_t depth = std::size_t{1} << random.below(13);
    depth = std::min(depth, kMostBytes / 2 / (brackets.open.size() + brackets.close.size()));
    std::string opened, closed;
    std::size_t n_closed = random.below(4) == 0 ? random.below(depth) : depth;
    for (std::size_t k = 0; k < depth; ++k) opened += brackets.open;
    for (std::size_t k = 0; k < n_closed; ++k) closed += brackets.close;
    bytes.insert(chunk.begin + chunk.size, closed);
    bytes.insert(chunk.begin, opened);
}

/// Makes a number of many digits, or of many zeros behind its point.
void Mutator::lengthen_number(std::string& bytes, Random& random) const {
    Range number = random_run(bytes, random, is_digit, is_in_number);
    if (number.size == 0) return;
    std::string digits(std::size_t{1} << random.below(12), random.below(2) == 0 ? '0' : '9');
    constexpr std::string_view kFronts[] = {"", "0.", "-", "1e", "1e-"};
    std::size_t at = number.begin + random.below(number.size + 1);
    bytes.insert(at, std::string(random.one_of(kFronts)) + digits);
}

void Mutator::move_line(std::string& bytes, Random& random) const {
    Range line = random_line(bytes, random);
    std::string text = bytes.substr(line.begin, line.size);
    if (random.below(2) == 0) bytes.erase(line.begin, line.size);
    std::size_t at = bytes.empty() ? 0 : random_line(bytes, random).begin;
    bytes.insert(at, text);
}

void Mutator::truncate(std::string& bytes, Random& random) const {
    bytes.resize(random.below(bytes.size()));
}

}  // namespace tl::fuzz
