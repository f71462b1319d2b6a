// The format: a line with the version, then blocks of bytes, each after its length as a number of 8
// bytes, and a checksum of all that is before it. Blocks: names and values of the key, each list
// after its length; the samples of the processes; the arrays of the picture.
#include "app/jobs/checkpoint_file.h"

#include <cstring>

#include "core/base/checksum.h"
#include "core/base/error.h"
#include "core/base/files.h"

namespace tl {
namespace {

constexpr std::string_view kFirstLine = "treelight checkpoint 2\n";
constexpr std::string_view kAnyVersion = "treelight checkpoint ";

class BlockWriter {
  public:
    explicit BlockWriter(const std::string& path) : file_(path) { put(kFirstLine); }
    void number(std::uint64_t value) { put({reinterpret_cast<const char*>(&value), sizeof value}); }
    void block(std::string_view bytes) {
        number(bytes.size());
        put(bytes);
    }
    void finish() {
        number(sum_);
        file_.finish();
    }

  private:
    void put(std::string_view bytes) {
        file_.write(bytes);
        sum_ = checksum_of(bytes, sum_);
    }
    FileWriter file_;
    std::uint64_t sum_ = checksum_of("");
};

/// Reads what BlockWriter has written.
class BlockReader {
  public:
    BlockReader(const std::string& path, std::string_view bytes) : path_(path), rest_(bytes) {
        if (!bytes.starts_with(kAnyVersion))
            throw UserError(path + ": is no checkpoint of treelight; name another file");
        if (take(kFirstLine.size()) != kFirstLine)
            throw UserError(path +
                            ": is a checkpoint of another version of treelight; go on with that "
                            "one, or delete the file to start over");
    }
    std::uint64_t number() {
        std::uint64_t value = 0;
        std::memcpy(&value, take(sizeof value).data(), sizeof value);
        return value;
    }
    std::string_view block() { return take(number()); }
    /// A length of a list whose entries take at least eight bytes each.
    std::size_t length() {
        auto count = number();
        if (count > rest_.size() / sizeof count) refuse();
        return count;
    }
    /// Checks the checksum, which must be next, and the end.
    void finish() {
        auto sum = sum_;
        if (number() != sum || !rest_.empty()) refuse();
    }

  private:
    std::string_view take(std::uint64_t count) {
        if (count > rest_.size()) refuse();
        auto bytes = rest_.substr(0, count);
        rest_.remove_prefix(count);
        sum_ = checksum_of(bytes, sum_);
        return bytes;
    }
    [[noreturn]] void refuse() const {
        throw UserError(path_ +
                        ": is damaged, so that its picture cannot be continued; restore it from a "
                        "copy, or delete it to start over");
    }
    const std::string& path_;
    std::string_view rest_;
    std::uint64_t sum_ = checksum_of("");
};

}  // namespace

void write_checkpoint(const std::string& path, const PictureKey& key, const PictureState& state) {
    BlockWriter file(path);
    file.number(key.size());
    for (auto& fact : key) {
        file.block(fact.name);
        file.block(fact.value);
    }
    file.number(state.samples.size());
    for (auto samples : state.samples) file.number(samples);
    file.block(state.radiance_sum);
    file.block(state.half_sum);
    file.block(state.done);
    file.number(state.layers.size());
    for (auto& layer : state.layers) file.block(layer);
    file.finish();
}

PictureState read_checkpoint(const std::string& path, std::string_view bytes,
                             const PictureKey& key) {
    BlockReader file(path, bytes);
    PictureKey found(file.length());
    for (auto& fact : found) {
        fact.name = file.block();
        fact.value = file.block();
    }
    PictureState state;
    state.samples.resize(file.length());
    for (auto& samples : state.samples) samples = static_cast<std::uint32_t>(file.number());
    state.radiance_sum = file.block();
    state.half_sum = file.block();
    state.done = file.block();
    state.layers.resize(file.length());
    for (auto& layer : state.layers) layer = file.block();
    file.finish();
    if (auto text = differences(key, found); !text.empty())
        throw UserError(path + ": is of another picture: " + text +
                        "; repeat its command, name another file, or delete it to start over");
    return state;
}

}  // namespace tl
