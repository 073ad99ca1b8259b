package dev.quire.test.attacks;

import dev.quire.test.junit.internal.OnDisk;

/** The hostile dialogues against Quire with responses on disk alone. */
@OnDisk
class AttacksOnDiskIT extends AttacksIT {}
