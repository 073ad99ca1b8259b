/** Thymeleaf's ESI dialect and the markers of development. */
@NullMarked
package dev.quire.spring.internal.view;

import org.jspecify.annotations.NullMarked;
