#include "tests/fuzz/worker.h"

#include <cxxabi.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <thread>
#include <typeinfo>

#include "core/base/error.h"
#include "tests/fuzz/allocations.h"

namespace tl::fuzz {
namespace {

// State for the callback of the allocation limit.
Board* the_board = nullptr;
std::size_t bytes_before = 0, bytes_of_file = 0;

/// Processor time of this process, nanoseconds.
std::int64_t processor_time() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

/// Memory that an input may take, bytes.
std::size_t most_bytes(const Reader& reader, std::size_t file_bytes) {
    return reader.fixed_bytes + reader.bytes_per_byte * file_bytes;
}

/// Fault of a message about a file of this folder; "" if it has none. Unprintable bytes that it
/// quotes from a file are no fault: the code that displays it handles them.
std::string fault_of_message(std::string_view text, std::string_view folder) {
    if (text.empty()) return "is empty";
    if (text.find(folder) == std::string_view::npos) return "names no file";
    return {};
}

void set_fault(std::string_view text) {
    std::size_t size = std::min(text.size(), sizeof the_board->fault - 1);
    std::memcpy(the_board->fault, text.data(), size);
    the_board->fault[size] = 0;
}

void stop_at_memory(std::size_t bytes) {
    std::snprintf(the_board->fault, sizeof the_board->fault,
                  "memory: %zu bytes or more are wanted for a file of %zu bytes",
                  bytes - bytes_before, bytes_of_file);
    std::abort();
}

void raise_extreme(Extreme& extreme, double amount, std::uint64_t number) {
    if (amount > extreme.amount) extreme = {amount, number};
}

std::string type_name(const std::exception& error) {
    int status = 0;
    std::unique_ptr<char, decltype(&std::free)> name(
        abi::__cxa_demangle(typeid(error).name(), nullptr, nullptr, &status), &std::free);
    return name ? name.get() : typeid(error).name();
}

void check_message(std::string_view kind, const std::string& text, const std::string& path) {
    std::string fault = fault_of_message(text, path.substr(0, path.rfind('/')));
    if (!fault.empty())
        set_fault(std::string(kind).append(" ").append(fault).append(": ").append(text));
}

/// Reads a file and discards the result. Returns whether it was accepted.
bool read_once(const Reader& reader, const std::string& path) {
    try {
        for (auto& warning : reader.read(path)) check_message("message: a warning", warning, path);
        return true;
    } catch (const UserError& error) {
        check_message("message: a refusal", message_of(error), path);
    } catch (const std::exception& error) {
        set_fault("exception: " + type_name(error) + ": " + error.what());
    }
    return false;
}

/// Whether every reading of a file leaks memory. Caches for later readings are allocated once, and
/// each thread may allocate them during a reading of its own.
bool leaks(const Reader& reader, const std::string& path) {
    const unsigned n_readings = 6 + 2 * std::thread::hardware_concurrency();
    for (unsigned k = 0; k < n_readings; ++k) {
        std::size_t before = allocated_bytes();
        (void)read_once(reader, path);
        if (allocated_bytes() <= before) return false;
    }
    return true;
}

void read_checked(const Task& task, const std::string& path, std::size_t file_bytes, Board& board) {
    std::uint64_t number = board.number;
    bytes_before = allocated_bytes();
    bytes_of_file = file_bytes;
    limit_allocations(bytes_before + most_bytes(task.reader, file_bytes), &stop_at_memory);
    bool accepted = read_once(task.reader, path);
    std::size_t most = most_allocated_bytes();
    limit_allocations(SIZE_MAX, nullptr);

    raise_extreme(board.bytes, static_cast<double>(most - bytes_before), number);
    double seconds = 1e-9 * static_cast<double>(processor_time() - board.started);
    raise_extreme(board.seconds, seconds, number);
    ++(accepted ? board.n_accepted : board.n_refused);
    if (board.fault[0] != 0) return;
    if (seconds > task.reader.most_seconds)
        set_fault("slow: took " + std::to_string(seconds) + " s");
    if (!accepted && number < task.n_valid) set_fault("seed: a valid file is refused");
    if (allocated_bytes() > bytes_before && leaks(task.reader, path))
        set_fault("leak: at every reading");
}

}  // namespace

void run_worker(const Task& task, Board& board) noexcept {
    using Clock = std::chrono::steady_clock;
    auto end = Clock::now() + std::chrono::duration<double>(task.seconds);
    the_board = &board;
    for (std::uint64_t number = task.first; Clock::now() < end; ++number) {
        auto input = task.inputs(number);
        if (!input) break;
        if (task.reader.asks_for_much && task.reader.asks_for_much(input->bytes)) {
            ++board.n_left_out;
            continue;
        }
        std::string own = task.folder + "/input" + input->ending;
        std::ofstream(own, std::ios::binary) << input->bytes;
        board.started = processor_time();
        board.number = number;
        bool is_named = !task.reader.named_by.empty();
        read_checked(task, is_named ? task.folder + "/" + std::string(task.reader.named_by) : own,
                     input->bytes.size(), board);
        if (board.fault[0] != 0) _exit(1);
    }
    std::exit(0);  // not _exit: a leak checker reports at the end
}

}  // namespace tl::fuzz
