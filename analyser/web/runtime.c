// Functions that the kernel calls (memory with reference counts), and the records that are its arguments.
typedef unsigned long size_t;
typedef long long i64;
typedef unsigned long long u64;

typedef struct Block {  // begins like Numba's NRT_MemInfo: a reference count, and the address of the data
  u64 count;
  void *data;
  struct Block *next;  // next free block of this size
  int size;            // exponent of 2
} Block;

enum { SIZES = 32, PAGE = 65536, ALIGNMENT = 64 };
static Block *free_blocks[SIZES];
extern unsigned char __heap_base;
static size_t top;

static Block *allocate(size_t bytes) {
  int size = 6;
  while (((size_t)1 << size) < bytes) size++;
  Block *block = free_blocks[size];
  if (block) {
    free_blocks[size] = block->next;
  } else {
    if (!top) top = ((size_t)&__heap_base + ALIGNMENT - 1) & -ALIGNMENT;
    size_t end = top + ALIGNMENT + ((size_t)1 << size), room = __builtin_wasm_memory_size(0) * PAGE;
    if (end > room && __builtin_wasm_memory_grow(0, (end - room + PAGE - 1) / PAGE) == (size_t)-1) __builtin_trap();
    block = (Block *)top;
    block->data = (void *)(top + ALIGNMENT);
    block->size = size;
    top = end;
  }
  block->count = 1;
  return block;
}

void *NRT_MemInfo_alloc_aligned(i64 bytes, int alignment) { return allocate((size_t)bytes); }
void *NRT_MemInfo_data_fast(Block *block) { return block->data; }
void NRT_incref(Block *block) {
  if (block) block->count++;
}
void NRT_decref(Block *block) {
  if (block && !--block->count) {
    block->next = free_blocks[block->size];
    free_blocks[block->size] = block;
  }
}

// Product of two 128-bit integers, with which the compiler checks that the size of an array fits into 64 bits.
__int128 __multi3(__int128 a, __int128 b) {
  u64 low = (u64)a, high = (u64)((unsigned __int128)a >> 64), other = (u64)b, others = (u64)((unsigned __int128)b >> 64);
  u64 a0 = low & 0xffffffff, a1 = low >> 32, b0 = other & 0xffffffff, b1 = other >> 32;
  u64 middle = a1 * b0 + (a0 * b0 >> 32), rest = a0 * b1 + (middle & 0xffffffff);
  u64 top = a1 * b1 + (middle >> 32) + (rest >> 32) + low * others + high * other;
  return (__int128)((unsigned __int128)top << 64 | (rest << 32 | (a0 * b0 & 0xffffffff)));
}

_Alignas(64) unsigned char question[QUESTION], scratch[SCRATCH], parts[PARTS], attack[ATTACK], charge[CHARGE], duel[DUEL];

extern int kernel(i64 *result, void **error, void *question, void *scratch, void *parts, void *attack, void *charge, void *duel);

// Answer the question; return its kind, or a negative number if the kernel failed.
int ask(void) {
  i64 result;
  void *error;
  top = 0;  // frees all blocks of the previous question, so memory grows only with the largest question
  __builtin_memset(free_blocks, 0, sizeof free_blocks);
  __builtin_memset(attack, 0, ATTACK);
  __builtin_memset(charge, 0, CHARGE);
  __builtin_memset(duel, 0, DUEL);
  return kernel(&result, &error, question, scratch, parts, attack, charge, duel) ? -1 : (int)result;
}
