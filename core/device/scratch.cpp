#include <algorithm>

#include "core/base/poison.h"
#include "core/device/array.h"

namespace tl {
namespace {
constexpr std::size_t kAlignment = 256;
constexpr std::size_t kMinimumBlock = std::size_t{1} << 20;
}  // namespace

Scratch::~Scratch() {
    free_blocks();
}

void Scratch::free_blocks() noexcept {
    for (auto& block : blocks_) stream_.device().free(block.data, block.size, stream_);
    blocks_.clear();
}

void Scratch::release() {
    TL_ASSERT_OP(block_ + used_, ==, 0u);
    free_blocks();
    wanted_ = 0;
}

void* Scratch::take_bytes(std::size_t bytes) {
    bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    if (bytes == 0) return nullptr;
    bool poisons = poisons_memory();
    if (poisons) block_ = blocks_.size();  // each piece is a block of its own, and new
    while (block_ < blocks_.size() && used_ + bytes > blocks_[block_].size) {
        ++block_;
        used_ = 0;
    }
    if (block_ == blocks_.size()) {
        std::size_t size = poisons ? bytes : std::max({bytes, kMinimumBlock, capacity(), wanted_});
        used_ = 0;
        auto* data = static_cast<std::byte*>(stream_.device().allocate(size, stream_));
        blocks_.push_back({data, size});
    }
    void* taken = blocks_[block_].data + used_;
    used_ += bytes;
    return taken;
}

std::size_t Scratch::capacity() const {
    std::size_t bytes = 0;
    for (auto& block : blocks_) bytes += block.size;
    return bytes;
}

void Scratch::rewind(std::size_t block, std::size_t used) noexcept {
    block_ = block;
    used_ = used;
    if (poisons_memory()) {
        for (; blocks_.size() > block_ + (used_ > 0 ? 1 : 0); blocks_.pop_back())
            stream_.device().free(blocks_.back().data, blocks_.back().size, stream_);
        return;
    }
    if (block_ != 0 || used_ != 0 || blocks_.size() < 2) return;
    // Nothing is in use and the arena has several blocks: the next frame allocates one block of the
    // total size. Work still running in the old blocks precedes their free on the stream.
    wanted_ = capacity();
    free_blocks();
}

Scratch::Scope::Scope(Scratch& scratch)
    : scratch_(scratch), block_(scratch.block_), used_(scratch.used_) {}

Scratch::Scope::~Scope() {
    scratch_.rewind(block_, used_);
}

}  // namespace tl
