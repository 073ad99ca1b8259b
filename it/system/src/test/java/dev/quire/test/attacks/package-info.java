/**
 * Hostile dialogues: files in which an attacker, a victim and a control talk to a proxy, with the
 * expectations for each response and for the origin. Reads them and runs each through Quire or a
 * peer. Not responsible for: the language of pages, which the cases test.
 */
@NullMarked
package dev.quire.test.attacks;

import org.jspecify.annotations.NullMarked;
