/** Stamps: tags that this request has written are told apart from the same text in data. */
@NullMarked
package dev.quire.spring.internal.stamp;

import org.jspecify.annotations.NullMarked;
