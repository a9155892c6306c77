// Thread-local variables in a library that is loaded late and serves both libcs.
//
// The library cannot use the initial-exec model: musl refuses it for libraries that are not loaded
// at startup. It is compiled with TLS descriptors instead (-mtls-dialect=gnu2):
//
// - glibc reserves some static TLS for libraries loaded late (512 bytes since 2.33, 1664 before).
//   While there is room, a descriptor refers to it: the access is a call of one instruction and
//   allocates nothing. When other libraries have used it up (or with
//   glibc.rtld.optional_static_tls=0 in GLIBC_TUNABLES), a thread's first access allocates through
//   malloc.
// - musl gives each thread its part when the library is loaded or the thread is created. An access
//   allocates nothing.
//
// So no code that runs in a signal handler or in a snapshot's child may access one. tests/house
// lists the files that have one.
//
// An access that allocates may change vector registers that the compiler assumes are preserved
// (glibc bug 31372, GCC bug 113874). So each variable is read in a function of its own that the
// compiler cannot see through: it then assumes the same as for any other call.
#pragma once

#if defined(__GNUC__) && !defined(__clang__)
#define HINDSIGHT_READS_THREAD_LOCAL [[gnu::noipa]]
#else
#define HINDSIGHT_READS_THREAD_LOCAL [[gnu::noinline]]
#endif
