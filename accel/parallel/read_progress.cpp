#include "accel/parallel/read_progress.h"

#include <utility>

namespace tl {
namespace {

thread_local std::function<void(double)> observer;

}  // namespace

ReadProgress::ReadProgress(std::function<void(double share)> told) {
    observer = std::move(told);
}

ReadProgress::~ReadProgress() {
    observer = nullptr;
}

void tell_read(double share) {
    if (observer) observer(share);
}

}  // namespace tl
