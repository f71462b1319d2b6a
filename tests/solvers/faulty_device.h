// Wraps a device: counts allocations, and can be made to run out of memory.
#pragma once

#include <atomic>
#include <memory>

#include "core/device/device.h"

namespace tl::test {

class FaultyDevice final : public Device {
  public:
    explicit FaultyDevice(Device& inner) : inner_(inner) {}

    /// Makes the allocation after `n` more fail; below 0: none.
    void fail_after(long n) { left_ = n < 0 ? kNever : n; }
    [[nodiscard]] long n_live() const { return n_live_; }
    [[nodiscard]] long n_pinned() const { return n_pinned_; }
    [[nodiscard]] long n_failed() const { return n_failed_; }

    DeviceKind kind() const override { return inner_.kind(); }
    std::string name() const override { return inner_.name(); }
    int index() const override { return inner_.index(); }
    void make_current() const override { inner_.make_current(); }
    void* allocate(std::size_t bytes, Stream& stream) override {
        if (bytes == 0) return nullptr;
        if (left_.fetch_sub(1) == 0) {
            ++n_failed_;
            throw refused_memory(*this, bytes, 0, "a test", "run it without faults");
        }
        void* block = inner_.allocate(bytes, inner_of(stream));
        ++n_live_;
        return block;
    }
    void free(void* pointer, std::size_t bytes, Stream& stream) noexcept override {
        if (pointer) --n_live_;
        inner_.free(pointer, bytes, inner_of(stream));
    }
    void upload(Stream& s, void* to, const void* from, std::size_t bytes) override {
        inner_.upload(inner_of(s), to, from, bytes);
    }
    void download(Stream& s, void* to, const void* from, std::size_t bytes) override {
        inner_.download(inner_of(s), to, from, bytes);
    }
    void copy(Stream& s, void* to, const void* from, std::size_t bytes) override {
        inner_.copy(inner_of(s), to, from, bytes);
    }
    void fill_zero(Stream& s, void* to, std::size_t bytes) override {
        inner_.fill_zero(inner_of(s), to, bytes);
    }
    void copy_from_peer(Stream& s, void* to, const Device&, const void* from,
                        std::size_t bytes) override {
        inner_.copy(inner_of(s), to, from, bytes);
    }
    void* allocate_pinned(std::size_t bytes) override {
        void* block = inner_.allocate_pinned(bytes);
        ++n_pinned_;
        return block;
    }
    void free_pinned(void* pointer) noexcept override {
        --n_pinned_;
        inner_.free_pinned(pointer);
    }
    void download_later(Stream& s, void* to, const void* from, std::size_t bytes) override {
        inner_.download_later(inner_of(s), to, from, bytes);
    }
    std::unique_ptr<Stream> create_stream() override {
        return std::make_unique<FaultyStream>(*this, inner_.create_stream());
    }
    std::unique_ptr<Stream> create_urgent_stream() override {
        return std::make_unique<FaultyStream>(*this, inner_.create_urgent_stream());
    }
    std::unique_ptr<Event> create_event() override { return inner_.create_event(); }
    bool begin_graph(Stream& s) override { return inner_.begin_graph(inner_of(s)); }
    std::unique_ptr<Graph> end_graph(Stream& s) override { return inner_.end_graph(inner_of(s)); }
    MemoryStats memory_stats() const override {
        // Querying the system takes longer than small problems do.
        MemoryStats stats;
        stats.bytes_free = stats.bytes_total = std::uint64_t{1} << 40;
        return stats;
    }
    void trim() override { inner_.trim(); }

  private:
    class FaultyStream final : public Stream {
      public:
        FaultyStream(Device& device, std::unique_ptr<Stream> inner)
            : device_(device), inner_(std::move(inner)) {}
        Device& device() const override { return device_; }
        void* native() const override { return inner_->native(); }
        void synchronize() override { inner_->synchronize(); }
        int multiprocessors() const override { return inner_->multiprocessors(); }
        [[nodiscard]] Stream& inner() const { return *inner_; }

      private:
        Device& device_;
        std::unique_ptr<Stream> inner_;
    };
    static Stream& inner_of(Stream& stream) { return static_cast<FaultyStream&>(stream).inner(); }

    static constexpr long kNever = 1L << 62;
    Device& inner_;
    std::atomic<long> left_{kNever}, n_live_{0}, n_pinned_{0}, n_failed_{0};
};

}  // namespace tl::test
