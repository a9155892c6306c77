// Variables of a thread, in a library that is loaded late and serves both libcs.
//
// The library cannot have the initial-exec model, which musl refuses to a library that is not there
// from the start. It is compiled with TLS descriptors instead (-mtls-dialect=gnu2). Where they
// lead:
//
// - glibc keeps some static room for libraries that are loaded late (512 bytes since 2.33, 1664
//   before). While there is room a descriptor leads into it: a call of one instruction, nothing is
//   allocated. When others have used it up (glibc.rtld.optional_static_tls=0 in GLIBC_TUNABLES does
//   that as well), a thread's first read allocates through malloc.
// - musl gives every thread its part where the library is loaded or the thread is made. Reading
//   allocates nothing.
//
// So nothing that a signal handler or a snapshot's child runs reads one. tests/house knows the
// files that have one.
//
// The read that allocates may change vector registers, of which the compiler believes that they are
// kept (glibc bug 31372, GCC bug 113874). So a variable is read in a function of its own, from
// which the compiler infers nothing: then it expects of it what it expects of any other function.
#pragma once

#if defined(__GNUC__) && !defined(__clang__)
#define HINDSIGHT_READS_THREAD_LOCAL [[gnu::noipa]]
#else
#define HINDSIGHT_READS_THREAD_LOCAL [[gnu::noinline]]
#endif
