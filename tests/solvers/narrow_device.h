// A device that reports less free memory than the machine has, and counts allocations.
#pragma once

#include "core/device/device.h"

namespace tl::test {

class NarrowDevice final : public Device {
  public:
    NarrowDevice(Device& device, std::uint64_t bytes_free)
        : device_(device), kind_(device.kind()), free_(bytes_free) {}
    void set_bytes_free(std::uint64_t bytes_free) { free_ = bytes_free; }
    /// Makes it pass for a device of another kind, which must not be used.
    void set_kind(DeviceKind kind) { kind_ = kind; }
    [[nodiscard]] std::size_t n_allocations() const { return n_allocations_; }

    DeviceKind kind() const override { return kind_; }
    std::string name() const override { return device_.name(); }
    int index() const override { return device_.index(); }
    void make_current() const override { device_.make_current(); }
    void* allocate(std::size_t bytes, Stream& stream) override {
        ++n_allocations_;
        return device_.allocate(bytes, stream);
    }
    void free(void* pointer, std::size_t bytes, Stream& stream) noexcept override {
        device_.free(pointer, bytes, stream);
    }
    void upload(Stream& s, void* to, const void* from_host, std::size_t bytes) override {
        device_.upload(s, to, from_host, bytes);
    }
    void download(Stream& s, void* to_host, const void* from, std::size_t bytes) override {
        device_.download(s, to_host, from, bytes);
    }
    void copy(Stream& s, void* to, const void* from, std::size_t bytes) override {
        device_.copy(s, to, from, bytes);
    }
    void fill_zero(Stream& s, void* to, std::size_t bytes) override {
        device_.fill_zero(s, to, bytes);
    }
    void copy_from_peer(Stream& s, void* to, const Device&, const void* from,
                        std::size_t bytes) override {
        device_.copy(s, to, from, bytes);
    }
    std::unique_ptr<Stream> create_stream() override;
    std::unique_ptr<Event> create_event() override { return device_.create_event(); }
    MemoryStats memory_stats() const override {
        auto stats = device_.memory_stats();
        stats.bytes_free = free_;
        return stats;
    }
    void trim() override { device_.trim(); }

  private:
    Device& device_;
    DeviceKind kind_;
    std::uint64_t free_;
    std::size_t n_allocations_ = 0;
};

/// Stream whose device() is the narrow device.
class NarrowStream final : public Stream {
  public:
    NarrowStream(NarrowDevice& device, std::unique_ptr<Stream> stream)
        : device_(device), stream_(std::move(stream)) {}
    Device& device() const override { return device_; }
    void* native() const override { return stream_->native(); }
    void synchronize() override { stream_->synchronize(); }

  private:
    NarrowDevice& device_;
    std::unique_ptr<Stream> stream_;
};

inline std::unique_ptr<Stream> NarrowDevice::create_stream() {
    return std::make_unique<NarrowStream>(*this, device_.create_stream());
}

}  // namespace tl::test
