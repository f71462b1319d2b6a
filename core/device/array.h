// Memory of a device: views are passed to kernels, arrays own memory, and a scratch arena lends
// temporary memory without touching the pool once it has grown to a frame's needs.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/macros.h"
#include "core/device/device.h"

namespace tl {

/// A span of device memory, passed to kernels by value.
template <class T>
struct View {
    T* data = nullptr;
    std::size_t size = 0;

    View() = default;
    TL_HD View(T* data, std::size_t size) : data(data), size(size) {}
    /// Converts a View<T> to a View<const T> of the same elements.
    template <class U>
    requires std::is_same_v<const U, T> TL_HD View(const View<U>& other)
        : data(other.data), size(other.size) {}

    TL_HD T& operator[](std::size_t i) const {
        TL_ASSERT_OP(i, <, size);
        return data[i];
    }
    [[nodiscard]] TL_HD bool empty() const { return size == 0; }
};

/// Owns `size()` elements on one device. Moves, never copies; elements start uninitialised.
template <class T>
class DeviceArray {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    DeviceArray() = default;
    DeviceArray(Stream& stream, std::size_t size) { resize_discard(stream, size); }
    DeviceArray(Stream& stream, std::span<const T> host) { assign(stream, host); }
    ~DeviceArray() { release(); }
    DeviceArray(DeviceArray&& o) noexcept { *this = std::move(o); }
    DeviceArray& operator=(DeviceArray&& o) noexcept {
        std::swap(stream_, o.stream_);
        std::swap(data_, o.data_);
        std::swap(size_, o.size_);
        std::swap(capacity_, o.capacity_);
        return *this;
    }

    /// Sets the size, losing the contents. Allocates only to grow. The stream must outlive the
    /// array.
    void resize_discard(Stream& stream, std::size_t size) {
        if (size > capacity_ || (stream_ && stream_ != &stream)) {
            release();
            stream_ = &stream;
            data_ = static_cast<T*>(stream.device().allocate(size * sizeof(T), stream));
            capacity_ = size;
        }
        size_ = size;
    }
    /// Copies `host` to the device.
    void assign(Stream& stream, std::span<const T> host) {
        resize_discard(stream, host.size());
        if (!host.empty()) stream.device().upload(stream, data_, host.data(), host.size_bytes());
    }
    /// Waits for the stream and copies to the host.
    [[nodiscard]] std::vector<T> download(Stream& stream) const {
        std::vector<T> host(size_);
        if (size_) stream.device().download(stream, host.data(), data_, size_ * sizeof(T));
        return host;
    }
    void fill_zero(Stream& stream) {
        if (size_) stream.device().fill_zero(stream, data_, size_ * sizeof(T));
    }

    [[nodiscard]] View<T> view() { return {data_, size_}; }
    [[nodiscard]] View<const T> view() const { return {data_, size_}; }
    [[nodiscard]] T* data() { return data_; }
    [[nodiscard]] const T* data() const { return data_; }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] bool empty() const { return size_ == 0; }
    [[nodiscard]] std::size_t capacity() const { return capacity_; }
    [[nodiscard]] std::size_t bytes() const { return capacity_ * sizeof(T); }

  private:
    void release() noexcept {
        if (data_) stream_->device().free(data_, capacity_ * sizeof(T), *stream_);
        data_ = nullptr;
        size_ = capacity_ = 0;
    }
    Stream* stream_ = nullptr;
    T* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

/// Scratch arena: temporary device memory for the work of one stream. Memory taken inside a scope
/// is released when the scope ends. Later work on the same stream may reuse it at once, because the
/// stream keeps order. After the first frames the arena has its high-water size and allocates no
/// more.
class Scratch {
  public:
    explicit Scratch(Stream& stream) : stream_(stream) {}
    ~Scratch();
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    template <class T>
    [[nodiscard]] View<T> take(std::size_t count) {
        return {static_cast<T*>(take_bytes(count * sizeof(T))), count};
    }
    [[nodiscard]] void* take_bytes(std::size_t bytes);
    [[nodiscard]] Stream& stream() const { return stream_; }
    /// Bytes that the arena holds.
    [[nodiscard]] std::size_t capacity() const;
    /// Gives all memory back to the device's pool. Nothing may be taken.
    void release();

    /// Releases, when it is destroyed, the memory that was taken since it was created.
    class Scope {
      public:
        explicit Scope(Scratch& scratch);
        ~Scope();
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;

      private:
        Scratch& scratch_;
        std::size_t block_, used_;
    };

  private:
    struct Block {
        std::byte* data;
        std::size_t size;
    };
    void rewind(std::size_t block, std::size_t used) noexcept;
    void free_blocks() noexcept;

    Stream& stream_;
    std::vector<Block> blocks_;
    std::size_t block_ = 0;   // index of the block in use
    std::size_t used_ = 0;    // bytes used in that block
    std::size_t wanted_ = 0;  // size of the next first block
};

}  // namespace tl
